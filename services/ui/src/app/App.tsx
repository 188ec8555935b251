import { lazy, useEffect, useState } from "react";
import { AppCrash } from "../components/Crash";
import { ErrorBoundary } from "../components/ErrorBoundary";
import { Diagram } from "../components/markdown/Diagram";
import { type Drawings, DrawnBy } from "../components/markdown/drawings";
import { LoginPage } from "../features/login/components/LoginPage";
import { onUnauthorized } from "../lib/problems";
import { comeBack, rememberPlace } from "./returning";
import { Shell } from "./Shell";

/** What formulas need is large: it is loaded when one is met. */
const DRAWINGS: Drawings = { Formula: lazy(() => import("../components/markdown/Formula")), Diagram };

/** The whole page: the shell, or the way in. */
export function App() {
  const [loggedOut, setLoggedOut] = useState(false);
  useEffect(() => {
    comeBack();
    return onUnauthorized(() => {
      rememberPlace();
      setLoggedOut(true);
    });
  }, []);
  return (
    <ErrorBoundary fallback={(error, again) => <AppCrash error={error} onAgain={again} />}>
      <DrawnBy value={DRAWINGS}>{loggedOut ? <LoginPage /> : <Shell />}</DrawnBy>
    </ErrorBoundary>
  );
}
