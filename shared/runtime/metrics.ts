import { version } from '@assay/contracts/version';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics that Prometheus reads from a process. */
export interface Metrics {
  contentType: string;
  text: () => Promise<string>;
  /**
   * Returns a timer for one operation. Call it at the start, and the function that it returns with
   * the status at the end.
   */
  operation: (name: string) => () => (status: number) => void;
  counter: (name: string, help: string, labels?: string[]) => Counter;
  /** How long something took that ends in several ways, in a few wide steps: each label has them all. */
  seconds: (name: string, help: string, labels: string[]) => Histogram;
  /** A value that cannot be read is left out. */
  gauge: (name: string, help: string, read: () => number | Promise<number>) => void;
  /** Values of one kind, by their label; none where they cannot be read. */
  gauges: (
    name: string,
    help: string,
    label: string,
    read: () => Promise<(readonly [string, number])[]>,
  ) => void;
}

interface MetricsOptions {
  service: string;
  /** The commit of the sources that run. */
  revision: string;
}

/** Metrics of one service, under its own name even where several share a process. */
export function createMetrics({ service, revision }: MetricsOptions): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 });
  new Gauge({
    name: 'assay_build_info',
    help: 'Always 1: the labels say which version runs, and of which commit.',
    labelNames: ['version', 'revision'],
    registers: [registry],
  }).set({ version, revision }, 1);
  const durations = new Histogram({
    name: 'assay_operation_seconds',
    help: 'How long operations took, by name and status.',
    labelNames: ['operation', 'status'],
    // Few: the gateway has two hundred operations, each with several statuses.
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers: [registry],
  });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    operation: (operation) => () => {
      const startedAt = performance.now();
      return (status) =>
        durations.observe({ operation, status }, (performance.now() - startedAt) / 1000);
    },
    counter: (name, help, labelNames = []) =>
      new Counter({ name, help, labelNames, registers: [registry] }),
    seconds: (name, help, labelNames) =>
      new Histogram({
        name,
        help,
        labelNames,
        buckets: [0.01, 0.1, 1, 10, 60],
        registers: [registry],
      }),
    gauge: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          try {
            this.set(await read());
          } catch {
            this.reset();
          }
        },
      });
    },
    gauges: (name, help, label, read) => {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        async collect() {
          const values = await read().catch(() => []);
          this.reset();
          for (const [one, value] of values) this.set({ [label]: one }, value);
        },
      });
    },
  };
}
