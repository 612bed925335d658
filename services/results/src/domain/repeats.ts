import { flakyTestcasesMax } from '@assay/contracts/results';
import { mean } from '@assay/statistics/describe';
import type { Interval } from '@assay/statistics/interval';
import { passAtK, passHatK, varianceComponents } from '@assay/statistics/repeats';

/** The values of one testcase's records in a run. */
export interface RepeatedValues {
  /** The number under which the testcase was given. */
  testcase: number;
  values: number[];
}

/** The values of each testcase, in the order of their first records. */
export function byTestcase(values: Float64Array, testcases: Int32Array): RepeatedValues[] {
  const repeated = new Map<number, RepeatedValues>();
  for (const [place, testcase] of testcases.entries()) {
    const known = repeated.get(testcase);
    if (known) known.values.push(values[place]!);
    else repeated.set(testcase, { testcase, values: [values[place]!] });
  }
  return [...repeated.values()];
}

/** pass@k and pass^k are told for each k up to this, and for the largest. */
const everyKMax = 10;

type IsPass = (value: number) => boolean;

interface Passing {
  /** Undefined where the metric has no passing threshold. */
  isPass: IsPass | undefined;
  intervalOf: (values: Float64Array) => Interval | null;
}

/** How much the records of one testcase differ (contract section 3, Results). */
export function summarizeRepeats(
  repeated: readonly RepeatedValues[],
  { isPass, intervalOf }: Passing,
) {
  const records = repeated.reduce((count, { values }) => count + values.length, 0);
  const { within, between } = varianceComponents(repeated.map(({ values }) => values))!;
  const counted = repeated.map(({ testcase, values }) => ({
    testcase,
    records: values.length,
    passes: passCount(values, isPass),
    mean: mean(values)!,
  }));
  return {
    recordsPerTestcase: records / repeated.length,
    standardDeviationWithin: within,
    standardDeviationBetween: between,
    passes: isPass === undefined ? [] : passesOf(counted, intervalOf),
    flaky: flakyOf(counted),
  };
}

interface CountedTestcase {
  testcase: number;
  records: number;
  passes: number;
  mean: number;
}

const passCount = (values: number[], isPass: IsPass | undefined): number =>
  isPass === undefined ? 0 : values.filter(isPass).length;

function passesOf(counted: CountedTestcase[], intervalOf: Passing['intervalOf']) {
  const sizes = counted.map(({ records }) => records).sort((one, other) => other - one);
  const largest = sizes[Math.ceil(sizes.length / 2) - 1]!;
  const every = Array.from({ length: Math.min(largest, everyKMax) }, (_, index) => index + 1);
  return [...every, ...(largest > everyKMax ? [largest] : [])].map((k) => {
    const repeated = counted.filter(({ records }) => records >= k);
    const share = (chanceOf: typeof passAtK) => {
      const chances = Float64Array.from(repeated, ({ passes, records }) =>
        chanceOf({ passes, records, k }),
      );
      return { value: mean(chances)!, confidenceInterval: intervalOf(chances) };
    };
    return { k, testcases: repeated.length, passAtK: share(passAtK), passHatK: share(passHatK) };
  });
}

function flakyOf(counted: CountedTestcase[]) {
  const flaky = counted.filter(({ passes, records }) => passes > 0 && passes < records);
  const distance = ({ passes, records }: CountedTestcase) => Math.abs(passes / records - 0.5);
  return {
    count: flaky.length,
    testcases: flaky
      .toSorted((one, other) => distance(one) - distance(other) || one.testcase - other.testcase)
      .slice(0, flakyTestcasesMax)
      .map(({ testcase, records, passes, mean }) => ({
        testcase,
        records,
        passRate: passes / records,
        mean,
      })),
  };
}
