const COLUMNS = [
  ["open", "Open"],
  ["in_progress", "In progress"],
  ["blocked", "Blocked"],
  ["deferred", "Deferred"],
  ["closed", "Closed"],
];
const STATUSES = COLUMNS.map(([value, label]) => ({ value, label }));

export default function Beads() {
  // The board is in the database. This key of the state changes whenever somebody changes the board.
  const [changed] = useAgentState("beads/changed");
  const [beads, setBeads] = useState(null);
  const [title, setTitle] = useState("");
  const [problem, setProblem] = useState("");
  const newest = useRef(0);

  async function call(args) {
    const number = ++newest.current;
    try {
      const answer = await callBackend("beads_board", args);
      if (number === newest.current) setBeads(answer.beads);
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
    const wanted = title.trim();
    if (!wanted) return;
    setTitle("");
    // What could not be added is not lost, unless something else is being written by then.
    if (!(await call({ add: wanted }))) setTitle((now) => now || wanted);
  }

  const warning = problem && <Alert variant="danger">{problem}</Alert>;
  if (!beads && !problem) return <Spinner />;
  return (
    <div style={{ maxWidth: 1100, margin: "0 auto" }}>
      <h1 className="h4">Beads</h1>
      {warning}
      {!beads && <Button onClick={() => call({})}>Try again</Button>}
      {beads && (
        <Form onSubmit={add} className="d-flex gap-2 mb-3">
          <TextInput
            aria-label="New issue"
            placeholder="What is to be done?"
            autoComplete="off"
            value={title}
            onValue={setTitle}
            maxLength={300}
          />
          <Button type="submit" variant="outline-primary" className="flex-shrink-0" disabled={!title.trim()}>
            Add
          </Button>
        </Form>
      )}
      {beads && !beads.length && (
        <p className="text-body-secondary">Nothing is on the board. Add something, or ask the agent to plan.</p>
      )}
      {beads && beads.length > 0 && (
        <div style={{ display: "grid", gap: 12, gridTemplateColumns: "repeat(auto-fit, minmax(190px, 1fr))" }}>
          {COLUMNS.map(([status, label]) => (
            <Column
              key={status}
              label={label}
              beads={beads.filter((bead) => bead.status === status)}
              onMove={(id, to) => call({ move: { id, status: to } })}
            />
          ))}
        </div>
      )}
    </div>
  );
}

function Column({ label, beads, onMove }) {
  return (
    <section aria-label={label}>
      <h2 className="h6 text-body-secondary">
        {label} <Badge bg="secondary">{beads.length}</Badge>
      </h2>
      {beads.map((bead) => (
        <Card key={bead.id} className="mb-2">
          <div className="fw-medium text-break">{bead.title}</div>
          <div className="text-body-secondary small mb-2">
            {bead.id} · p{bead.priority} · {bead.issue_type}
          </div>
          {bead.description && <Markdown>{bead.description}</Markdown>}
          <Select
            size="sm"
            aria-label={`Status of ${bead.title}`}
            value={bead.status}
            options={STATUSES}
            onValue={(to) => onMove(bead.id, to)}
          />
        </Card>
      ))}
    </section>
  );
}
