/** Logging in leaves the page: afterwards the user is where they were. */
import { recall, remember } from "../lib/browserStorage";
import { go } from "../lib/route";

const KEY = "foldline.return";

/** Keep the place for after the login. */
export function rememberPlace(): void {
  remember(sessionStorage, KEY, window.location.hash);
}

/** Go back to the place that was kept, unless the address already names one. */
export function comeBack(): void {
  const place = recall(sessionStorage, KEY);
  remember(sessionStorage, KEY, null);
  if (place && !window.location.hash) go(place);
}
