const FRESH = { content: "", agentRead: true, agentWrite: true };
const keyOf = (name) => `shared-notes/${name}`;

export default function Notes() {
  // The tabs, in their order; each is a value of its own in the agent's state.
  const [names, setNames, loaded] = useAgentState("shared-notes", []);
  const [chosen, setChosen] = useState("");
  const [name, setName] = useState("");
  if (!loaded) return <Spinner />;
  const tabs = Array.isArray(names) ? names : [];
  const open = tabs.includes(chosen) ? chosen : tabs[0];
  const wanted = name.trim();

  function add() {
    if (!wanted || tabs.includes(wanted)) return;
    setNames([...tabs, wanted]);
    setChosen(wanted);
    setName("");
  }

  function remove(one) {
    setNames(tabs.filter((other) => other !== one));
  }

  return (
    <div style={{ maxWidth: 800, margin: "0 auto" }}>
      <h1 className="h4">Notes</h1>
      <Form onSubmit={add} className="d-flex gap-2 mb-3">
        <TextInput
          aria-label="New tab"
          placeholder="Name of a new tab"
          autoComplete="off"
          value={name}
          onValue={setName}
          maxLength={64}
        />
        <Button type="submit" variant="outline-primary" className="flex-shrink-0" disabled={!wanted || tabs.includes(wanted)}>
          Add tab
        </Button>
      </Form>
      {!open && <p className="text-body-secondary">No tabs yet. Add one to share notes with the agent.</p>}
      {open && (
        <div className="d-flex flex-wrap gap-1 mb-3" role="group" aria-label="Tabs">
          {tabs.map((one) => (
            <Button
              key={one}
              size="sm"
              variant={one === open ? "primary" : "outline-secondary"}
              aria-pressed={one === open}
              onClick={() => setChosen(one)}
            >
              {one}
            </Button>
          ))}
        </div>
      )}
      {open && <Panel key={open} name={open} onRemove={() => remove(open)} />}
    </div>
  );
}

function Panel({ name, onRemove }) {
  const [stored, setStored, loaded] = useAgentState(keyOf(name), FRESH);
  const tab = { ...FRESH, ...stored };
  // What is being written, and what was there when that began; null while nothing is.
  const [draft, setDraft] = useState(null);
  const [base, setBase] = useState("");
  const [past, setPast] = useState([]);
  if (!loaded) return <Spinner />;
  const shown = draft ?? tab.content;
  const overtaken = draft !== null && tab.content !== base && tab.content !== draft;
  const words = shown.split(/\s+/).filter(Boolean).length;

  const put = (change) => setStored((before) => ({ ...FRESH, ...before, ...change }));

  function edit(text) {
    if (draft === null) setBase(tab.content);
    setDraft(text);
  }

  function save() {
    if (draft === null || draft === tab.content) {
      setDraft(null);
      return;
    }
    setPast([...past.slice(-9), tab.content]);
    put({ content: draft });
    setDraft(null);
  }

  function undo() {
    put({ content: past[past.length - 1] });
    setPast(past.slice(0, -1));
  }

  return (
    <section aria-label={name}>
      <Stack direction="horizontal" gap={3} className="mb-2 flex-wrap">
        <Toggle label="Agent read" checked={tab.agentRead === true} onValue={(agentRead) => put({ agentRead })} />
        <Toggle label="Agent write" checked={tab.agentWrite === true} onValue={(agentWrite) => put({ agentWrite })} />
        <Button variant="link" size="sm" className="ms-auto text-body-secondary" onClick={onRemove}>
          Remove tab
        </Button>
      </Stack>
      {overtaken && (
        <Alert variant="warning">
          This tab was changed while you wrote.{" "}
          <Button size="sm" variant="outline-secondary" onClick={() => setDraft(null)}>
            Take what is there
          </Button>{" "}
          Saving puts yours in its place.
        </Alert>
      )}
      <TextInput
        aria-label={`Notes in ${name}`}
        multiline
        rows={14}
        maxLength={100000}
        value={shown}
        onValue={edit}
        onBlur={() => !overtaken && save()}
      />
      <Stack direction="horizontal" gap={2} className="mt-2">
        <Button size="sm" disabled={draft === null} onClick={save}>
          Save
        </Button>
        <Button size="sm" variant="outline-secondary" disabled={!past.length || draft !== null} onClick={undo}>
          Undo
        </Button>
        <span className="text-body-secondary small ms-auto">
          {words} words, {shown.length} characters
        </span>
      </Stack>
    </section>
  );
}
