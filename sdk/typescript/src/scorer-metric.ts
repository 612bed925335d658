import {
  isNumeric,
  isSameScale,
  isValueOf,
  type OutputType,
  type StatedScale,
  scaleDifferences,
  scaleIssues,
  scoreValue,
  valueInWords,
} from '@assay/contracts/scale';
import type { ScorerScale, ScoreValue } from './evaluation.ts';
import { AssayError } from './failure.ts';

/** How the metric of a scorer is known: from the project, from its scale, or from its values. */
interface KnownMetric extends StatedScale {
  passingThreshold?: number | null | undefined;
}

/**
 * The metric of one scorer, as it becomes known. A scale that is named makes it one of numbers on
 * that scale; else the first value tells the type.
 */
export function createScorerMetric(name: string, named: ScorerScale = {}) {
  let known: KnownMetric | undefined;
  let scale = namedScale(named);
  let saidOne = false;
  let isOfProject = false;
  /** Values that do not fit the metric: how many, and the first of them. */
  const outside = { count: 0, first: undefined as boolean | number | undefined };
  if (hasEnds(scale)) make('float');

  function make(outputType: OutputType): void {
    known = { outputType, ...scale };
    const [issue] = scaleIssues({ ...known, passingThreshold: null });
    if (issue)
      throw new AssayError(`The scale of ${quoted(name)}: ${issue.path} ${issue.message}.`);
  }

  /** Takes the scale that a score names. Another one than before would make two metrics of one. */
  function take(said: ScorerScale): void {
    const next = namedScale(said);
    if (Object.keys(next).length === 0) return;
    if (known === undefined && Object.keys(scale).length === 0) {
      scale = next;
      if (hasEnds(scale)) make('float');
      return;
    }
    checkNamed(known ?? { outputType: 'float', ...scale }, next, isOfProject);
  }

  function checkNamed(metric: StatedScale, next: ScorerScale, isStored: boolean): void {
    const wanted = { ...metric, ...next };
    if (isSameScale(wanted, metric)) return;
    const differences = scaleDifferences(metric, wanted)
      .map(({ member, values: [has, wants] }) => `${member} ${has}, not ${wants}`)
      .join(', ');
    throw new AssayError(
      isStored
        ? `The metric ${quoted(name)} of the project has ${differences}: change the metric, or give the scorer in \`scores\` another name.`
        : `The scorer ${quoted(name)} names two scales: it had ${differences}.`,
    );
  }

  return {
    /** Undefined as long as nothing has told it. */
    metric: () => known,
    /** Fixes the metric of the project. */
    setMetric(metric: KnownMetric): void {
      checkNamed(metric, scale, true);
      known = metric;
      isOfProject = true;
    },
    /**
     * Learns from a value, and says whether it fits.
     * @throws AssayError for a first number that is on no scale that scorers have unnamed.
     */
    learn(value: ScoreValue, said: ScorerScale): boolean {
      take(said);
      if (value === null) return true;
      if (known === undefined) {
        const outputType = outputTypeOf(value);
        if (outputType !== undefined) make(outputType);
        else if (value === 1) saidOne = true;
        else if (saidOne) make('float');
        else throw new AssayError(`${unscaled(name, value)} ${remedy(name)}`);
      }
      if (known === undefined || scoreValue(known, value) !== undefined) return true;
      outside.first ??= value;
      outside.count += 1;
      return false;
    },
    /** A scorer that only ever said 1 gives numbers from 0 to 1. */
    settle(): void {
      if (known === undefined && saidOne) make('float');
    },
    outside: () => outside,
    /** The sentence on the values that do not fit; undefined where all do. */
    outsideSentence(): string | undefined {
      const { count, first } = outside;
      if (count === 0 || known === undefined) return undefined;
      const scores = count === 1 ? 'score' : 'scores';
      const what = `${count} ${scores} of ${quoted(name)} ${count === 1 ? 'does' : 'do'} not fit, and ${count === 1 ? 'is' : 'are'} in no mean: a score of it is ${valueInWords(known)}, and the first is ${first}.`;
      if (!isNumeric(known.outputType)) return what;
      return isOfProject ? `${what} ${changeMetric}` : `${what} ${remedy(name)}`;
    },
  };
}

const changeMetric =
  'Change the scale of the metric in the console, or give the scorer another name.';

const quoted = (name: string): string => JSON.stringify(name);

/** The members of a scale that are named. */
function namedScale({ min, max, lowerIsBetter }: ScorerScale): ScorerScale {
  return {
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(lowerIsBetter === undefined ? {} : { lowerIsBetter }),
  };
}

const hasEnds = ({ min, max }: ScorerScale): boolean => min !== undefined || max !== undefined;

const unscaled = (name: string, value: boolean | number): string =>
  `The scorer ${quoted(name)} returned ${value}. Where no scale is named, a score is true or false, a number from 0 to 1, or a whole number from 1 to 5.`;

const remedy = (name: string): string =>
  `Name its scale: scores: { ${quoted(name)}: { scorer, min: 0, max: 100 } }.`;

/** 1 is of both scales, and tells nothing; other numbers tell nothing either. */
function outputTypeOf(value: boolean | number): OutputType | undefined {
  if (typeof value === 'boolean') return 'boolean';
  if (value === 1) return undefined;
  if (scoreValue({ outputType: 'float' }, value) !== undefined) return 'float';
  return isValueOf({ outputType: 'int' }, value) ? 'int' : undefined;
}
