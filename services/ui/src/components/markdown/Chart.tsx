import {
  ArcElement,
  BarController,
  BarElement,
  CategoryScale,
  Chart as Drawn,
  Filler,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PieController,
  PointElement,
  Tooltip,
} from "chart.js";
import { useEffect, useRef, useSyncExternalStore } from "react";
import "../chart.css";

Drawn.register(ArcElement, BarController, BarElement, CategoryScale, Filler, Legend, LinearScale);
Drawn.register(LineController, LineElement, PieController, PointElement, Tooltip);

/** As many as the design system has. */
const COLOURS = 8;

export interface Series {
  label: string;
  /** One for each label; null where there is none. */
  values: readonly (number | null)[];
}

interface Props {
  type?: "line" | "bar" | "pie" | "area";
  labels: readonly string[];
  /** One series of numbers, or several with a label each. */
  values?: readonly number[];
  series?: readonly Series[];
  title?: string;
}

const axis = (color: string, line: string) => ({ ticks: { color }, grid: { color: line } });

const shownMode = () => document.documentElement.dataset.bsTheme;

function followMode(listener: () => void): () => void {
  const modes = new MutationObserver(listener);
  modes.observe(document.documentElement, { attributeFilter: ["data-bs-theme"] });
  return () => modes.disconnect();
}

/** Numbers as a drawing; a table says the same to those who can't see it. */
export function Chart({ type = "line", labels, values, series, title = "Chart" }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const all = series ?? [{ label: title, values: values ?? [] }];
  const told = JSON.stringify([type, labels, all]);
  const mode = useSyncExternalStore(followMode, shownMode);

  // biome-ignore lint/correctness/useExhaustiveDependencies: its colours are those of the mode
  useEffect(() => {
    if (!canvas.current) return;
    const [kind, names, drawn] = JSON.parse(told) as [NonNullable<Props["type"]>, string[], Series[]];
    const pie = kind === "pie";
    const style = getComputedStyle(document.body);
    const colour = style.color;
    const colours = Array.from({ length: COLOURS }, (_, at) =>
      style.getPropertyValue(`--fl-chart-${at + 1}`),
    );
    const line = style.getPropertyValue("--fl-line");
    const chart = new Drawn(canvas.current, {
      type: kind === "area" ? "line" : kind,
      data: {
        labels: names,
        datasets: drawn.map(({ label, values: data }, at) => ({
          label,
          data: [...data],
          borderColor: pie ? colours : colours[at % COLOURS],
          backgroundColor: pie ? colours : `${colours[at % COLOURS]}${kind === "area" ? "55" : ""}`,
          fill: kind === "area",
        })),
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        color: colour,
        plugins: { legend: { display: pie || drawn.length > 1, labels: { color: colour } } },
        ...(pie ? {} : { scales: { x: axis(colour, line), y: axis(colour, line) } }),
      },
    });
    return () => chart.destroy();
  }, [told, mode]);

  return (
    <figure className="chart">
      <div className="chart-canvas">
        <canvas ref={canvas} role="img" aria-label={title} />
      </div>
      <table className="visually-hidden">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">Of</th>
            {all.map(({ label }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: labels may repeat
              <th key={at} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: labels may repeat
            <tr key={at}>
              <th scope="row">{label}</th>
              {all.map((one, series) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: labels may repeat
                <td key={series}>{one.values[at]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
