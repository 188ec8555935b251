import { useState } from "react";
import Dropdown from "react-bootstrap/Dropdown";
import { Icon } from "../../../components/Icon";
import { placeOf } from "../../../lib/address";
import { messageOf } from "../../../lib/problems";
import { historyHref, sawHref, studioHref, traceHref } from "../../../lib/route";
import { type Page, pageRequests } from "../api/requests";

type Causes = Awaited<ReturnType<ReturnType<typeof pageRequests>["causes"]>>;

/** From a page to how it came about: its version, the call that wrote it, what the model had seen. */
export function Origin({ agentId, page }: { agentId: string; page: Page }) {
  const [causes, setCauses] = useState<Causes | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const { by, name, version } = page;
  const at = causes?.at == null ? undefined : placeOf(causes.at);
  function look(shown: boolean) {
    if (!shown || !by) return;
    setFailure(null);
    pageRequests(agentId).causes(by).then(setCauses, setFailure);
  }
  return (
    <Dropdown align="end" onToggle={look}>
      <Dropdown.Toggle
        variant="link"
        className="btn-icon no-caret"
        aria-label="How this page was made"
        title="How it was made"
      >
        <Icon name="rewind" />
      </Dropdown.Toggle>
      <Dropdown.Menu>
        <Dropdown.Header>
          Version {version}, by {by ? "the agent" : "you"}
        </Dropdown.Header>
        {failure !== null && <Dropdown.ItemText>{messageOf(failure)}</Dropdown.ItemText>}
        {by && (
          <>
            <Dropdown.Item href={historyHref(by.sessionId, at)}>The call that wrote it</Dropdown.Item>
            {causes?.modelCall && (
              <Dropdown.Item href={sawHref(by.sessionId, causes.modelCall)}>
                What the model saw before
              </Dropdown.Item>
            )}
            <Dropdown.Item href={traceHref(by.sessionId, at)}>The trace of that turn</Dropdown.Item>
          </>
        )}
        <Dropdown.Item href={studioHref(agentId, "components", name, "versions")}>
          All its versions
        </Dropdown.Item>
      </Dropdown.Menu>
    </Dropdown>
  );
}
