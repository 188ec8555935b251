// From core-js: what QuickJS lacks of the web's own.
import structuredClone from "core-js-pure/web/structured-clone";
import URL from "core-js-pure/web/url";
import URLSearchParams from "core-js-pure/web/url-search-params";
import { define } from "./intrinsics.js";

define("URL", URL);
define("URLSearchParams", URLSearchParams);
define("structuredClone", structuredClone);
