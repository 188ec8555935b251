// TextEncoder, TextDecoder (UTF-8, UTF-16LE, Latin 1) and crypto's randomness, which comes from the run's seed.
import { define, G, random, TypeE } from "./intrinsics.js";

class TextEncoder {
  get encoding() {
    return "utf-8";
  }
  encode(input = "") {
    const s = `${input}`.toWellFormed();
    let n = 0;
    for (const c of s) {
      const p = c.codePointAt(0);
      n += p < 0x80 ? 1 : p < 0x800 ? 2 : p < 0x10000 ? 3 : 4;
    }
    const out = new Uint8Array(n);
    let i = 0;
    for (const c of s) {
      const p = c.codePointAt(0);
      if (p < 0x80) out[i++] = p;
      else {
        if (p < 0x800) out[i++] = 0xc0 | (p >> 6);
        else {
          if (p < 0x10000) out[i++] = 0xe0 | (p >> 12);
          else {
            out[i++] = 0xf0 | (p >> 18);
            out[i++] = 0x80 | ((p >> 12) & 63);
          }
          out[i++] = 0x80 | ((p >> 6) & 63);
        }
        out[i++] = 0x80 | (p & 63);
      }
    }
    return out;
  }
  encodeInto(source, target) {
    let read = 0, written = 0;
    for (const c of `${source}`) {
      const bytes = this.encode(c);
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      written += bytes.length;
      read += c.length;
    }
    return { read, written };
  }
}

const LABELS = {
  "utf-8": "utf-8", utf8: "utf-8", "utf-16le": "utf-16le", "utf-16": "utf-16le",
  latin1: "latin1", "iso-8859-1": "latin1", ascii: "latin1", "us-ascii": "latin1",
};

class TextDecoder {
  #fatal;
  #keepMark;
  #rest = [];
  #begun = false;
  constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
    const encoding = LABELS[`${label}`.trim().toLowerCase()];
    if (!encoding) throw new RangeError(`TextDecoder: the encoding ${label} is not supported`);
    Object.defineProperty(this, "encoding", { value: encoding, enumerable: true });
    this.#fatal = fatal;
    this.#keepMark = ignoreBOM;
  }
  decode(input = new Uint8Array(), { stream = false } = {}) {
    const view = ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : new Uint8Array(input);
    const bytes = this.#rest.length ? Uint8Array.from([...this.#rest, ...view]) : view;
    let out = "", i = 0, part = [];
    const put = (p) => {
      if (!this.#begun && !this.#keepMark && this.encoding !== "latin1" && p === 0xfeff) {
        this.#begun = true;
        return;
      }
      this.#begun = true;
      part.push(p);
      if (part.length >= 1024) {
        out += String.fromCodePoint(...part);
        part = [];
      }
    };
    const bad = () => {
      if (this.#fatal) throw new TypeE("TextDecoder: the bytes are no valid text");
      put(0xfffd);
    };
    this.#rest = [];
    while (i < bytes.length) {
      const b = bytes[i];
      if (this.encoding === "latin1") put(bytes[i++]);
      else if (this.encoding === "utf-16le") {
        if (i + 1 >= bytes.length) {
          if (stream) this.#rest = [...bytes.subarray(i)];
          else bad();
          break;
        }
        put(b | (bytes[i + 1] << 8));
        i += 2;
      } else if (b < 0x80) put(bytes[i++]);
      else {
        const more = b >= 0xc2 && b <= 0xdf ? 1 : b >= 0xe0 && b <= 0xef ? 2 : b >= 0xf0 && b <= 0xf4 ? 3 : 0;
        if (!more) {
          bad();
          i++;
          continue;
        }
        let p = b & (0x3f >> more), k = 1, low = b === 0xe0 ? 0xa0 : b === 0xf0 ? 0x90 : 0x80, high = b === 0xed ? 0x9f : b === 0xf4 ? 0x8f : 0xbf;
        while (k <= more && i + k < bytes.length && bytes[i + k] >= low && bytes[i + k] <= high) {
          p = (p << 6) | (bytes[i + k++] & 63);
          low = 0x80;
          high = 0xbf;
        }
        if (k > more) put(p);
        else if (i + k >= bytes.length && stream) {
          this.#rest = [...bytes.subarray(i)];
          break;
        } else bad();
        i += k;
      }
    }
    if (!stream) this.#begun = false;
    return out + String.fromCodePoint(...part);
  }
}

const byte = () => (random() * 256) | 0;
const crypto = {
  getRandomValues(array) {
    if (!ArrayBuffer.isView(array) || array instanceof DataView || array instanceof Float32Array || array instanceof Float64Array)
      throw new TypeE("crypto.getRandomValues: an integer typed array is needed");
    if (array.byteLength > 65536) throw new RangeError("crypto.getRandomValues: more than 65536 bytes");
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = byte();
    return array;
  },
  randomUUID() {
    let out = "";
    for (let i = 0; i < 16; i++) {
      const b = i === 6 ? (byte() & 0x0f) | 0x40 : i === 8 ? (byte() & 0x3f) | 0x80 : byte();
      out += (i === 4 || i === 6 || i === 8 || i === 10 ? "-" : "") + (b < 16 ? "0" : "") + b.toString(16);
    }
    return out;
  },
};

define("TextEncoder", TextEncoder);
define("TextDecoder", TextDecoder);
define("crypto", crypto);
define("global", G);
define("self", G);
