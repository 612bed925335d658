/** Σ coefficients[i] · x^(last − i), by Horner's rule. */
const polynomial = (x: number, coefficients: readonly number[]): number =>
  coefficients.reduce((sum, next) => sum * x + next, 0);

const cdfNumerator = [
  0.0352624965998911, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871,
  221.213596169931, 220.206867912376,
];
const cdfDenominator = [
  0.0883883476483184, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674,
  637.333633378831, 793.826512519948, 440.413735824752,
];

/**
 * The standard normal distribution function, to 1e-15; in the lower tail to a millionth of the
 * value. Hart et al., Computer Approximations (1968), in the form of West, Better approximations to
 * cumulative normal functions (2005).
 */
export function normalCdf(x: number): number {
  const tail = upperTail(Math.abs(x));
  return x > 0 ? 1 - tail : tail;
}

function upperTail(x: number): number {
  if (x > 38) return 0;
  const density = Math.exp((-x * x) / 2);
  if (x < 7.07106781186547)
    return (density * polynomial(x, cdfNumerator)) / polynomial(x, cdfDenominator);
  const fraction = x + 1 / (x + 2 / (x + 3 / (x + 4 / (x + 0.65))));
  return density / fraction / Math.sqrt(2 * Math.PI);
}

// Numerator and denominator of each of the three regions of AS 241 (PPND16), highest power first,
// rounded to doubles.
const centreCoefficients = [
  [
    2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946,
    1971.5909503065513, 133.14166789178438, 3.3871328727963665,
  ],
  [
    5226.495278852546, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751,
    687.1870074920579, 42.31333070160091, 1,
  ],
] as const;
const shoulderCoefficients = [
  [
    0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684,
    3.6478483247632045, 5.769497221460691, 4.630337846156546, 1.4234371107496835,
  ],
  [
    1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008,
    0.6897673349851, 1.6763848301838038, 2.053191626637759, 1,
  ],
] as const;
const tailCoefficients = [
  [
    2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124,
    0.29656057182850487, 1.7848265399172913, 5.463784911164114, 6.657904643501103,
  ],
  [
    2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 0.0007868691311456133,
    0.014875361290850615, 0.1369298809227358, 0.599832206555888, 1,
  ],
] as const;

/**
 * The standard normal quantile, to about 1e-16 relative; −∞ at 0 and ∞ at 1. Wichura, Algorithm AS
 * 241: the percentage points of the normal distribution, Applied Statistics 37 (1988), PPND16.
 */
export function normalQuantile(probability: number): number {
  if (probability <= 0) return -Infinity;
  if (probability >= 1) return Infinity;
  const offset = probability - 0.5;
  if (Math.abs(offset) <= 0.425) {
    const r = 0.180625 - offset * offset;
    return (offset * polynomial(r, centreCoefficients[0])) / polynomial(r, centreCoefficients[1]);
  }
  const r = Math.sqrt(-Math.log(Math.min(probability, 1 - probability)));
  const [region, from] = r <= 5 ? [shoulderCoefficients, 1.6] : [tailCoefficients, 5];
  const distance = polynomial(r - from, region[0]) / polynomial(r - from, region[1]);
  return offset < 0 ? -distance : distance;
}
