import fc from 'fast-check';

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength });

const whole = digits(30).map((text) => text.replace(/^0+(?=\d)/, ''));

/** Numbers of JSON in every way of writing them, with exponents that may be written out. */
export const lexeme = fc
  .tuple(
    fc.boolean(),
    fc.oneof(whole, fc.constantFrom('0', '1', '10', '9007199254740993')),
    fc.option(digits(30)),
    fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.nat(40))),
  )
  .map(
    ([isNegative, integer, fraction, exponent]) =>
      `${isNegative ? '-' : ''}${integer}${fraction === null ? '' : `.${fraction}`}${exponent?.join('') ?? ''}`,
  );

/** The number times 10^70, which is whole. */
export function scaled(text: string): bigint {
  const [, sign, integer, fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text)!;
  const size = BigInt(integer! + fraction) * 10n ** BigInt(70 + Number(exponent) - fraction.length);
  return sign === '-' ? -size : size;
}

/** Another way to write the same number. */
export function rewritten(text: string, shift: number): string {
  const [, sign, integer, fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text)!;
  const coefficient = `${integer}${fraction}${'0'.repeat(shift)}`.replace(/^0+(?=\d)/, '');
  return `${sign}${coefficient}E${Number(exponent) - fraction.length - shift}`;
}
