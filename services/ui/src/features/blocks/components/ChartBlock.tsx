import { lazy, Suspense } from "react";
import type { Block } from "../fold/blocks";

/** Drawing needs a library of 150 kB: it is fetched when the first chart is met. */
const Chart = lazy(async () => ({ default: (await import("../../../components/markdown/Chart")).Chart }));

type ChartShown = Extract<Block, { type: "chart" }>;

/** Numbers, drawn. */
export function ChartBlock({ type, data }: { type: ChartShown["chartType"]; data: ChartShown["data"] }) {
  const series = data.datasets.map(({ label, data: values }) => ({ label, values }));
  const title = series.map(({ label }) => label).join(", ");
  return (
    <Suspense fallback={<p className="text-body-secondary">Drawing …</p>}>
      <Chart type={type} labels={data.labels.map(String)} series={series} title={title || "Chart"} />
    </Suspense>
  );
}
