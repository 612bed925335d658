/** 1319 is 1,319. */
export const whole = (count: number): string => count.toLocaleString('en-US');

/** 0.2168 is 21.7 %. */
export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
