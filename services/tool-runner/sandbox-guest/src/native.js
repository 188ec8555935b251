// What box.c does for the prelude because JavaScript would take a hundred times as long.
export let digest, hmac, data;
export function connectNative(native) {
  ({ digest, hmac, data } = native);
}
