export default function ToDo() {
  // The list is in the database. This key of the state changes whenever somebody changes the list.
  const [changed] = useAgentState("todo/changed");
  const [list, setList] = useState(null);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  const newest = useRef(0);

  async function call(args) {
    const number = ++newest.current;
    try {
      const answer = await callBackend("todo_items", args);
      if (number === newest.current) setList(answer);
      setProblem("");
      return true;
    } catch (error) {
      setProblem(error.message);
      return false;
    }
  }

  useEffect(() => {
    call({});
  }, [changed]);

  async function add() {
    const entry = text.trim();
    if (!entry) return;
    setText("");
    // What could not be added is not lost, unless something else is being written by then.
    if (!(await call({ add: [entry] }))) setText((now) => now || entry);
  }

  const warning = problem && <Alert variant="danger">{problem}</Alert>;
  if (!list && !problem) return <Spinner />;
  if (!list)
    return (
      <>
        {warning}
        <Button onClick={() => call({})}>Try again</Button>
      </>
    );
  const { open, done } = list;
  return (
    <div style={{ maxWidth: 640, margin: "0 auto" }}>
      <Stack direction="horizontal" gap={2} className="align-items-baseline mb-3">
        <h1 className="h4 mb-0">To do</h1>
        <span className="text-body-secondary small ms-auto">
          {open.length} open{done.length > 0 && `, ${done.length} done`}
        </span>
      </Stack>
      {warning}
      <Form onSubmit={add} className="d-flex gap-2 mb-2">
        <TextInput
          aria-label="New entry"
          placeholder="Add an entry"
          autoComplete="off"
          value={text}
          onValue={setText}
          maxLength={500}
        />
        <Button type="submit" variant="outline-primary" className="flex-shrink-0" disabled={!text.trim()}>
          Add
        </Button>
      </Form>
      {!open.length && (
        <p className="text-body-secondary py-3 mb-0">
          {done.length ? "All done." : "Nothing to do. Add an entry, or tell the agent what to write down."}
        </p>
      )}
      <List items={open} onCheck={(id) => call({ done: [id] })} onRemove={(id) => call({ remove: [id] })} />
      {done.length > 0 && <h2 className="h6 text-body-secondary mt-4 mb-1">Done</h2>}
      <List done items={done} onCheck={(id) => call({ reopen: [id] })} onRemove={(id) => call({ remove: [id] })} />
    </div>
  );
}

function List({ items, done = false, onCheck, onRemove }) {
  const words = done ? "text-decoration-line-through text-body-secondary" : "";
  return (
    <ul className="list-unstyled mb-0">
      {items.map(({ id, text }) => (
        <li key={id} className="d-flex align-items-center gap-2 py-1 border-bottom">
          <Toggle
            type="checkbox"
            className="flex-grow-1 mb-0"
            label={<span className={words}>{text}</span>}
            checked={done}
            onValue={() => onCheck(id)}
          />
          <Button variant="link" size="sm" className="text-body-secondary" aria-label={`Remove ${text}`} title="Remove" onClick={() => onRemove(id)}>
            <Icon name="cross" size={14} />
          </Button>
        </li>
      ))}
    </ul>
  );
}
