-- How texts are searched; see projections/search.py, which asks. The extensions are in every Postgres' contrib; the
-- owner of a database may create them there.
CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;
CREATE EXTENSION IF NOT EXISTS btree_gin SCHEMA public;
CREATE EXTENSION IF NOT EXISTS unaccent SCHEMA public;

-- A text as it is compared: in lower case, without accents, and with a space around each Chinese, Japanese or Korean
-- character, so that one of them is a word. Only its first 100,000 characters.
DO $do$ BEGIN
    EXECUTE format($sql$
        CREATE FUNCTION folded(said text) RETURNS text IMMUTABLE PARALLEL SAFE
        RETURN lower(regexp_replace(%1$I.unaccent('%1$I.unaccent'::regdictionary, left(said, 100000)),
            '([\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff])', ' \1 ', 'g')
            COLLATE pg_c_utf8)
        $sql$, (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'unaccent'));
END $do$;
-- Most texts are short and have no letters but English ones, and every one that the index takes for a match is read.
CREATE FUNCTION searchable(said text, more text DEFAULT NULL) RETURNS text IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN more IS NULL AND octet_length(said) = length(said) AND octet_length(said) <= 100000
    THEN lower(said COLLATE pg_c_utf8) ELSE folded(said || coalesce(E'\n' || more, '')) END;

-- The LIKE pattern of the texts that contain this one.
CREATE FUNCTION containing(part text) RETURNS text IMMUTABLE PARALLEL SAFE
RETURN '%' || regexp_replace(searchable(part), '([\\%_])', '\\\1', 'g') || '%';

-- The words of a text, as the index of messages has them: what stands between anything but letters and digits.
CREATE FUNCTION words_of(said text, more text DEFAULT NULL) RETURNS tsvector IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(array_remove(string_to_array(regexp_replace(
    CASE WHEN searchable(said, more) COLLATE pg_c_utf8 ~ '[[:alnum:]]{200}'
        THEN regexp_replace(searchable(said, more) COLLATE pg_c_utf8, '([[:alnum:]]{200})[[:alnum:]]+', '\1', 'g')
        ELSE searchable(said, more) END COLLATE pg_c_utf8, '[^[:alnum:]]+', ' ', 'g'), ' '), ''));

-- The regular expression of the texts that contain this phrase, with any spaces between its words.
CREATE FUNCTION phrased(phrase text) RETURNS text IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(regexp_replace(searchable(phrase), '([^[:alnum:]\s])', '\\\1', 'g'), '\s+', '\\s+', 'g');
