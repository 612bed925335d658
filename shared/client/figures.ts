/** 1319 is 1,319. */
export const whole = (count: number): string => count.toLocaleString('en-US');

/** 0.2168 is 21.7 %. */
export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const sizes = ['B', 'KiB', 'MiB', 'GiB'];

/** 25 is 25 B, 1536 is 1.5 KiB. */
export function formatBytes(bytes: number): string {
  const step = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), sizes.length - 1);
  const value = bytes / 1024 ** step;
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${sizes[step]}`;
}
