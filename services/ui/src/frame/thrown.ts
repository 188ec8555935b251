/** Tells the shell what was thrown. */
import { placeInMessage, placeInStack, SOURCE } from "./place";
import { tell } from "./shellLink";

/** Report anything that was thrown; `components` is React's list of the components that it was thrown in. */
export function reportThrown(thrown: unknown, components = ""): void {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const stack = error.stack ?? "";
  const place = placeInMessage(error.message) ?? placeInStack(stack) ?? placeInStack(components);
  const message = error.message.replace(`Error transforming ${SOURCE}: `, "");
  tell({
    kind: "thrown",
    message: error.name === "Error" ? message : `${error.name}: ${message}`,
    line: place?.line ?? null,
    column: place?.column ?? null,
    stack: `${stack}\n${components}`,
  });
}
