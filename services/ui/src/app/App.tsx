import { useEffect, useState } from "react";
import { AppCrash } from "../components/Crash";
import { ErrorBoundary } from "../components/ErrorBoundary";
import { LoginPage } from "../features/login/components/LoginPage";
import { onUnauthorized } from "../lib/problems";
import { comeBack, rememberPlace } from "./returning";
import { Shell } from "./Shell";

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
      {loggedOut ? <LoginPage /> : <Shell />}
    </ErrorBoundary>
  );
}
