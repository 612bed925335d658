/** 1319 is 1,319. */
export const whole = (count: number): string => count.toLocaleString('en-US');

/** So many decimals, with halves rounded up as people do: 28.75 is 28.8, whatever its double is. */
export const fixed = (value: number, decimals: number): string =>
  Number(value.toPrecision(12)).toLocaleString('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    useGrouping: false,
  });

/** 0.2168 is 21.7 %. */
export const percent = (share: number): string => `${fixed(share * 100, 1)} %`;

/** As few digits as say the size of a bill. */
export const dollars = (usd: number | null): string =>
  usd === null ? '–' : `$${usd < 0.01 && usd > 0 ? usd.toPrecision(1) : usd.toFixed(2)}`;

const sizes = ['B', 'KiB', 'MiB', 'GiB'];

/** 25 is 25 B, 1536 is 1.5 KiB. */
export function formatBytes(bytes: number): string {
  const step = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), sizes.length - 1);
  const value = bytes / 1024 ** step;
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${sizes[step]}`;
}
