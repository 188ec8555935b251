import { Icon } from "../../../components/Icon";
import { Logo } from "../../../components/Logo";
import "../login.css";

/** Shown when the gateway refuses for want of a token. The form goes to the gateway, which sets the cookie. */
export function LoginPage() {
  return (
    <main className="login">
      <Logo />
      <h1 className="h4">Log in to Foldline</h1>
      <p>
        Open the link that <code>foldline up</code> printed, or paste the token from it here. If the token was
        changed since, <code>foldline token rotate</code> printed a new link. Without a link, run it where
        Foldline runs: it makes a new token, logs out all browsers, and prints the new link.
      </p>
      <form method="get" action="login" className="login-form">
        <label className="visually-hidden" htmlFor="token">
          Token
        </label>
        <input
          id="token"
          name="token"
          type="password"
          className="form-control"
          placeholder="Token"
          autoComplete="current-password"
          required
        />
        <button type="submit" className="btn btn-primary">
          Log in
        </button>
      </form>
      <p className="small text-body-secondary">
        <Icon name="clock" size={13} /> Nothing is lost: unsent text and chats are where you left them.
      </p>
    </main>
  );
}
