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
    } catch (error) {
      setProblem(error.message);
    }
  }

  useEffect(() => {
    call({});
  }, [changed]);

  function add() {
    if (!text.trim()) return;
    call({ add: [text.trim()] });
    setText("");
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
  return (
    <Card title="To do">
      {warning}
      <Form onSubmit={add} className="mb-3">
        <TextInput label="New entry" value={text} onValue={setText} maxLength={500} />
        <Button type="submit">Add</Button>
      </Form>
      {!list.open.length && <p>Nothing to do. Add an entry, or tell the agent what to write down.</p>}
      {list.open.map((item) => (
        <Toggle key={item.id} label={item.text} checked={false} onValue={() => call({ done: [item.id] })} />
      ))}
      {list.done.length > 0 && <h3 className="h6 mt-3">Done</h3>}
      {list.done.map((item) => (
        <Stack key={item.id} direction="horizontal" gap={2}>
          <Toggle label={item.text} checked onValue={() => call({ reopen: [item.id] })} />
          <Button variant="link" size="sm" aria-label={`Remove ${item.text}`} onClick={() => call({ remove: [item.id] })}>
            Remove
          </Button>
        </Stack>
      ))}
    </Card>
  );
}
