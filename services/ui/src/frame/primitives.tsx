/** The components that pages are given to show something: react-bootstrap's, with a short form for what is used most. */
import { Children, type ComponentProps, isValidElement, type ReactNode, useId } from "react";
import BsBadge from "react-bootstrap/Badge";
import BsCard from "react-bootstrap/Card";
import Col from "react-bootstrap/Col";
import BsModal from "react-bootstrap/Modal";
import Row from "react-bootstrap/Row";
import BsSpinner from "react-bootstrap/Spinner";
import BsTab from "react-bootstrap/Tab";
import BsTable from "react-bootstrap/Table";
import BsTabs from "react-bootstrap/Tabs";
import { Icon as Drawing, isIconName } from "../components/Icon";
import { CodeBlock as Code } from "../components/markdown/CodeBlock";
import { Markdown as Text } from "../components/markdown/Markdown";
import { checked, checkProps } from "./knownProps";

/** Whether children bring their own parts (`Card.Body`, `Modal.Body` …), so that none must be put around them. */
function bring(children: ReactNode, parts: readonly unknown[]): boolean {
  return Children.toArray(children).some((child) => isValidElement(child) && parts.includes(child.type));
}

const CardParts = {
  Body: checked("Card.Body", BsCard.Body, []),
  Title: checked("Card.Title", BsCard.Title, []),
  Subtitle: checked("Card.Subtitle", BsCard.Subtitle, []),
  Text: checked("Card.Text", BsCard.Text, []),
  Header: checked("Card.Header", BsCard.Header, []),
  Footer: checked("Card.Footer", BsCard.Footer, []),
};
const CARD_PARTS = [CardParts.Body, CardParts.Header, CardParts.Footer];

type CardProps = Omit<ComponentProps<typeof BsCard>, "title"> & { title?: ReactNode; footer?: ReactNode };

/** A box: `title`, `footer`, and what is in it. */
function CardBox({ title, footer, children, ...rest }: CardProps) {
  checkProps("Card", rest, ["title", "footer", "bg", "border", "body", "text"]);
  return (
    <BsCard {...rest}>
      {bring(children, CARD_PARTS) ? (
        children
      ) : (
        <BsCard.Body>
          {title !== undefined && (
            <BsCard.Title as="h2" className="h5">
              {title}
            </BsCard.Title>
          )}
          {children}
        </BsCard.Body>
      )}
      {footer !== undefined && <BsCard.Footer>{footer}</BsCard.Footer>}
    </BsCard>
  );
}
export const Card = Object.assign(CardBox, CardParts);

type Column = string | { key: string; label?: ReactNode };
type TableProps = ComponentProps<typeof BsTable> & {
  columns?: readonly Column[];
  rows?: readonly Record<string, ReactNode>[];
  /** As `rows`: so blocks call them. */
  data?: readonly Record<string, ReactNode>[];
};

const TABLE_LOOKS = ["bordered", "borderless", "hover", "responsive", "size", "striped", "variant"];

/** `columns` (keys, or `{key, label}`) and `rows` or `data` (objects); or a table's own children. */
export function Table({ columns, data, rows = data, children, ...rest }: TableProps) {
  checkProps("Table", rest, ["columns", "rows", "data", ...TABLE_LOOKS]);
  const shown = columns ?? Object.keys(rows?.[0] ?? {});
  const keys = shown.map((column) => (typeof column === "string" ? column : column.key));
  return (
    <BsTable responsive {...rest}>
      {children ?? (
        <>
          <thead>
            <tr>
              {shown.map((column, at) => (
                <th key={keys[at]} scope="col">
                  {typeof column === "string" ? column : (column.label ?? column.key)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows?.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own
              <tr key={at}>
                {keys.map((key) => (
                  <td key={key}>{cell(row[key])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </>
      )}
    </BsTable>
  );
}

function cell(value: ReactNode): ReactNode {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" && value !== null && !isValidElement(value) && !Array.isArray(value)
    ? JSON.stringify(value)
    : value;
}

/** `variant` is its colour, as of buttons and alerts. */
export function Badge({ variant, ...rest }: ComponentProps<typeof BsBadge> & { variant?: string }) {
  checkProps("Badge", rest, ["variant", "bg", "pill", "text"]);
  return <BsBadge bg={variant ?? "primary"} {...rest} />;
}

type TabsProps = ComponentProps<typeof BsTabs> & {
  tabs?: readonly { title: string; content: ReactNode }[];
};

const TAB = [
  ...["eventKey", "title", "disabled", "mountOnEnter", "tabAttrs", "tabClassName", "transition"],
  "unmountOnExit",
];
const TABS_LOOKS = [
  ...["activeKey", "defaultActiveKey", "fill", "justify", "mountOnEnter", "navbar", "transition"],
  ...["unmountOnExit", "variant"],
];

/** `tabs`: `{title, content}`; or `Tab` children. */
export function Tabs({ tabs, children, ...rest }: TabsProps) {
  checkProps("Tabs", rest, ["tabs", ...TABS_LOOKS]);
  for (const child of Children.toArray(children)) {
    // A Tab is never drawn itself: Tabs reads its props.
    if (isValidElement<object>(child) && child.type === BsTab) checkProps("Tab", child.props, TAB);
  }
  const id = useId();
  return (
    <BsTabs id={id} className="mb-3" {...rest}>
      {children ??
        tabs?.map(({ title, content }) => (
          <BsTab key={title} eventKey={title} title={title}>
            {content}
          </BsTab>
        ))}
    </BsTabs>
  );
}

/** Something is on its way; `label` says what. */
export function Spinner({
  label = "Loading",
  ...rest
}: ComponentProps<typeof BsSpinner> & { label?: string }) {
  checkProps("Spinner", rest, ["label", "animation", "size", "variant"]);
  return (
    <BsSpinner animation="border" role="status" {...rest}>
      <span className="visually-hidden">{label}</span>
    </BsSpinner>
  );
}

/** Text as it is: `code`, or children. */
export function CodeBlock({
  code,
  label,
  children,
  ...rest
}: {
  code?: string;
  label?: string;
  children?: ReactNode;
}) {
  checkProps("CodeBlock", rest, ["code", "label"]);
  return <Code {...(label ? { label } : {})}>{code ?? children}</Code>;
}

/** `text`, or text as its child. */
export function Markdown({ text, children, ...rest }: { text?: string; children?: ReactNode }) {
  checkProps("Markdown", rest, ["text"]);
  return <Text text={text ?? Children.toArray(children).join("")} />;
}

type GridProps = Omit<ComponentProps<typeof Row>, "columns"> & { columns?: number; gap?: number };

/** Children side by side, `columns` in a row, one below the other where it is narrow. */
export function Grid({ columns = 2, gap = 3, children, className, ...rest }: GridProps) {
  checkProps("Grid", rest, ["columns", "gap", "xs", "sm", "md", "lg", "xl", "xxl"]);
  return (
    <Row xs={1} md={columns} className={`g-${gap} ${className ?? ""}`} {...rest}>
      {Children.map(children, (child) => (
        <Col>{child}</Col>
      ))}
    </Row>
  );
}

/** A drawing by `name`; one that there isn't is shown as its name. */
export function Icon({ name, size, label, ...rest }: { name: string; size?: number; label?: string }) {
  checkProps("Icon", rest, ["name", "size", "label"]);
  return (
    <>
      {isIconName(name) ? <Drawing name={name} {...(size ? { size } : {})} /> : <small>{name}</small>}
      {label && <span className="visually-hidden">{label}</span>}
    </>
  );
}

const ModalParts = {
  Header: checked("Modal.Header", BsModal.Header, ["closeButton", "closeLabel", "closeVariant"]),
  Title: checked("Modal.Title", BsModal.Title, []),
  Body: checked("Modal.Body", BsModal.Body, []),
  Footer: checked("Modal.Footer", BsModal.Footer, []),
};
const MODAL_PARTS = [ModalParts.Header, ModalParts.Body, ModalParts.Footer];
const MODAL_LOOKS = [
  ...["animation", "backdrop", "backdropClassName", "centered", "container", "contentClassName"],
  ...["dialogAs", "dialogClassName", "enforceFocus", "fullscreen", "keyboard", "restoreFocus", "scrollable"],
  "size",
];

type ModalProps = Omit<ComponentProps<typeof BsModal>, "title"> & { title?: ReactNode; footer?: ReactNode };

/** A dialog: `show`, `onHide`, `title`, `footer`. */
function ModalBox({ title, footer, children, ...rest }: ModalProps) {
  checkProps("Modal", rest, ["show", "onHide", "title", "footer", ...MODAL_LOOKS]);
  const id = useId();
  return (
    <BsModal centered aria-labelledby={id} {...rest}>
      {bring(children, MODAL_PARTS) ? (
        children
      ) : (
        <>
          <BsModal.Header closeButton>
            <BsModal.Title as="h2" className="h5" id={id}>
              {title}
            </BsModal.Title>
          </BsModal.Header>
          <BsModal.Body>{children}</BsModal.Body>
          {footer !== undefined && <BsModal.Footer>{footer}</BsModal.Footer>}
        </>
      )}
    </BsModal>
  );
}
export const Modal = Object.assign(ModalBox, ModalParts);
