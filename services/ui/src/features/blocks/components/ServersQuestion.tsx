import { Icon } from "../../../components/Icon";

/** Whose words a form has, and who gets what is filled in. */
export function ServersWords({ server }: { server: string }) {
  return (
    <p className="form-text mt-0">
      These are the words of the MCP server <strong>{server}</strong>, and it gets what you fill in. Never
      give it a password or a key here.
    </p>
  );
}

interface AddressProps {
  url: string;
  host: string;
}

/** An address that a server wants opened: all of it, and the host that it leads to. Nothing opens it but a person. */
export function AddressToOpen({ url, host }: AddressProps) {
  return (
    <div className="steps-address">
      <p className="mb-1">
        It wants you to open an address at <strong>{host}</strong>:
      </p>
      <code className="steps-url">{url}</code>
      <a
        className="btn btn-outline-secondary btn-sm mt-2"
        href={url}
        target="_blank"
        rel="noopener noreferrer nofollow"
      >
        <Icon name="external" size={14} /> Open it in a new tab
      </a>
    </div>
  );
}
