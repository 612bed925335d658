import { normalCdf, normalQuantile } from './normal.ts';

/** From so many degrees of freedom on, four terms of the expansion are right to 1e-8. */
const expandedDegreesMin = 100;
const bisectionsCount = 100;
/** From so many degrees of freedom on, the distribution function is right to 1e-8 by the normal. */
const nearlyNormalDegreesMin = 10_000;

/**
 * The quantile of Student's t distribution with a whole number of degrees of freedom, for
 * probabilities of at least one half: by bisection of its distribution function, and from 100
 * degrees on by its expansion (Abramowitz and Stegun, Handbook of Mathematical Functions, 1964,
 * 26.7.3, 26.7.4 and 26.7.5).
 */
export function studentQuantile(probability: number, degrees: number): number {
  if (degrees >= expandedDegreesMin) return expandedQuantile(normalQuantile(probability), degrees);
  // In the angle, t = √degrees · tan(angle), all quantiles lie between 0 and a quarter turn.
  let [low, high] = [0, Math.PI / 2];
  for (let step = 0; step < bisectionsCount; step++) {
    const angle = (low + high) / 2;
    if ((1 + withinAngle(angle, degrees)) / 2 < probability) low = angle;
    else high = angle;
  }
  return Math.sqrt(degrees) * Math.tan(low);
}

/**
 * P(t > distance) of Student's t distribution with a whole number of degrees of freedom, for
 * distances of at least 0 (Abramowitz and Stegun, 26.7.3 and 26.7.4; 26.7.8 from 10,000 degrees on):
 * right to 1e-15, so that smaller tails are 0, and from there on to 1e-8.
 */
export const studentTail = (distance: number, degrees: number): number =>
  degrees >= nearlyNormalDegreesMin
    ? normalCdf(
        (-distance * (1 - 1 / (4 * degrees))) / Math.sqrt(1 + distance ** 2 / (2 * degrees)),
      )
    : Math.max(0, 1 - withinAngle(Math.atan(distance / Math.sqrt(degrees)), degrees)) / 2;

/** The distribution function of Student's t, by `studentTail`. */
export const studentCdf = (t: number, degrees: number): number =>
  t < 0 ? studentTail(-t, degrees) : 1 - studentTail(t, degrees);

/** P(|t| ≤ √degrees · tan(angle)). */
function withinAngle(angle: number, degrees: number): number {
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let k = isOdd ? 3 : 2; k <= degrees - 2; k += 2) {
    term *= (cosine ** 2 * (k - 1)) / k;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}

function expandedQuantile(x: number, degrees: number): number {
  const terms = [
    (x ** 3 + x) / 4,
    (5 * x ** 5 + 16 * x ** 3 + 3 * x) / 96,
    (3 * x ** 7 + 19 * x ** 5 + 17 * x ** 3 - 15 * x) / 384,
    (79 * x ** 9 + 776 * x ** 7 + 1482 * x ** 5 - 1920 * x ** 3 - 945 * x) / 92_160,
  ];
  return terms.reduce((sum, term, place) => sum + term / degrees ** (place + 1), x);
}
