// crypto.subtle: digests, and HMAC with its keys. Nothing of it leaves the guest, so a run's keys stay in the run.
import { define, G, isArray, TypeE } from "./intrinsics.js";
import { isBytes } from "./blob.js";
import { digest, hmac } from "./native.js";

const SIZES = { "SHA-1": [20, 64], "SHA-256": [32, 64], "SHA-384": [48, 128], "SHA-512": [64, 128], __proto__: null };
const JWK = { "SHA-1": "HS1", "SHA-256": "HS256", "SHA-384": "HS384", "SHA-512": "HS512", __proto__: null };
const Exception = G.DOMException;
const SECRET = {};
const URLSAFE = { alphabet: "base64url", omitPadding: true };
let keyOf;

class CryptoKey {
  #bytes;
  static {
    keyOf = (key) => key.#bytes;
  }
  constructor(secret, bytes, hash, extractable, usages) {
    if (secret !== SECRET) throw new TypeE("Illegal constructor: take crypto.subtle.importKey");
    this.#bytes = bytes;
    const fields = { type: "secret", extractable, algorithm: { name: "HMAC", hash: { name: hash }, length: bytes.length * 8 }, usages };
    for (const name in fields) Object.defineProperty(this, name, { value: fields[name], enumerable: true });
  }
  get [Symbol.toStringTag]() {
    return "CryptoKey";
  }
}

const refuse = (name, message) => {
  throw new Exception(message, name);
};

function copied(data, what) {
  if (!isBytes(data)) throw new TypeE(`${what}: bytes are needed, such as new TextEncoder().encode(text)`);
  return data instanceof ArrayBuffer ? new Uint8Array(data.slice(0)) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
}

function hashOf(algorithm, what) {
  const name = `${typeof algorithm === "object" && algorithm !== null ? algorithm.name : algorithm}`.toUpperCase();
  if (!SIZES[name]) refuse("NotSupportedError", `${what}: the hash ${name} is not supported: SHA-1, SHA-256, SHA-384 or SHA-512`);
  return name;
}

function needHmac(algorithm, what) {
  const name = `${typeof algorithm === "object" && algorithm !== null ? algorithm.name : algorithm}`.toUpperCase();
  if (name !== "HMAC") refuse("NotSupportedError", `${what}: the algorithm ${name} is not supported: HMAC`);
}

function usagesOf(usages, what) {
  if (!isArray(usages)) throw new TypeE(`${what}: an array of usages is needed`);
  const wrong = usages.find((one) => one !== "sign" && one !== "verify");
  if (wrong !== undefined) refuse("SyntaxError", `${what}: an HMAC key is not for ${wrong}`);
  if (!usages.length) refuse("SyntaxError", `${what}: a secret key needs a usage: sign or verify`);
  return ["sign", "verify"].filter((one) => usages.includes(one));
}

function fit(key, usage, what) {
  if (!(key instanceof CryptoKey)) throw new TypeE(`${what}: a CryptoKey is needed`);
  if (!key.usages.includes(usage)) refuse("InvalidAccessError", `${what}: the key is not for ${usage}`);
}

const mac = (key, data) => hmac(key.algorithm.hash.name, keyOf(key), data);

const subtle = {
  async digest(algorithm, data) {
    const hash = hashOf(algorithm, "digest");
    return digest(hash, copied(data, "digest")).buffer;
  },
  async importKey(format, data, algorithm, extractable, usages) {
    needHmac(algorithm, "importKey");
    const hash = hashOf(algorithm.hash, "importKey");
    let bytes;
    if (format === "raw") bytes = copied(data, "importKey");
    else if (format !== "jwk") refuse("NotSupportedError", `importKey: the format ${format} is not supported: raw or jwk`);
    else {
      if (data?.kty !== "oct" || typeof data.k !== "string") refuse("DataError", "importKey: a JWK of kty oct with k is needed");
      if (data.alg !== undefined && data.alg !== JWK[hash]) refuse("DataError", `importKey: the JWK is for ${data.alg}, not ${JWK[hash]}`);
      try {
        bytes = Uint8Array.fromBase64(data.k, URLSAFE);
      } catch {
        refuse("DataError", "importKey: the JWK's k is not base64url");
      }
    }
    const wanted = usagesOf(usages, "importKey");
    if (!bytes.length) refuse("DataError", "importKey: an HMAC key has one byte or more");
    if (algorithm.length !== undefined && algorithm.length !== bytes.length * 8) refuse("DataError", "importKey: the length is not that of the key");
    return new CryptoKey(SECRET, bytes, hash, !!extractable, wanted);
  },
  async generateKey(algorithm, extractable, usages) {
    needHmac(algorithm, "generateKey");
    const hash = hashOf(algorithm.hash, "generateKey");
    const bits = algorithm.length ?? SIZES[hash][1] * 8;
    if (!(bits > 0) || bits % 8 || bits > 65536 * 8) refuse("OperationError", "generateKey: a length in bits, a multiple of 8, is needed");
    const wanted = usagesOf(usages, "generateKey");
    return new CryptoKey(SECRET, G.crypto.getRandomValues(new Uint8Array(bits / 8)), hash, !!extractable, wanted);
  },
  async exportKey(format, key) {
    if (!(key instanceof CryptoKey)) throw new TypeE("exportKey: a CryptoKey is needed");
    if (format !== "raw" && format !== "jwk") refuse("NotSupportedError", `exportKey: the format ${format} is not supported: raw or jwk`);
    if (!key.extractable) refuse("InvalidAccessError", "exportKey: the key was made so that it can't be exported");
    if (format === "raw") return keyOf(key).slice().buffer;
    return { kty: "oct", k: keyOf(key).toBase64(URLSAFE), alg: JWK[key.algorithm.hash.name], key_ops: [...key.usages], ext: true };
  },
  async sign(algorithm, key, data) {
    needHmac(algorithm, "sign");
    fit(key, "sign", "sign");
    return mac(key, copied(data, "sign")).buffer;
  },
  async verify(algorithm, key, signature, data) {
    needHmac(algorithm, "verify");
    fit(key, "verify", "verify");
    const given = copied(signature, "verify"), right = mac(key, copied(data, "verify"));
    let differ = given.length ^ right.length;
    for (let i = 0; i < right.length; i++) differ |= right[i] ^ (given[i] ?? 0);
    return differ === 0;
  },
};

define("CryptoKey", CryptoKey);
define("subtle", subtle, G.crypto);
