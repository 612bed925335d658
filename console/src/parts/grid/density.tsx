import { useState } from 'react';
import styles from './grid.module.css';

/** How high rows are, in pixels: for one line, two, or five. */
export const densities = {
  low: { text: 'Low rows', height: 28 },
  middle: { text: 'Middle rows', height: 56 },
  high: { text: 'High rows', height: 112 },
} as const;

export type Density = keyof typeof densities;

const storageKey = 'assay.rows';

/** The height of rows that a person chose for all lists: kept for each browser. */
export function useDensity(usual: Density): [Density, (density: Density) => void] {
  const [density, setDensity] = useState<Density>(() => {
    const kept = localStorage.getItem(storageKey) ?? '';
    return Object.hasOwn(densities, kept) ? (kept as Density) : usual;
  });
  return [
    density,
    (chosen) => {
      localStorage.setItem(storageKey, chosen);
      setDensity(chosen);
    },
  ];
}

export function DensityChoice({
  density,
  choose,
}: {
  density: Density;
  choose: (density: Density) => void;
}) {
  return (
    <select
      className={`${styles.density} for-screens`}
      aria-label="Height of the rows"
      value={density}
      onChange={({ target }) => choose(target.value as Density)}
    >
      {Object.entries(densities).map(([name, { text }]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  );
}
