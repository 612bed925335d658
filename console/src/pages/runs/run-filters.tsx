import { getRouteApi } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Names } from '../../api/names.ts';
import { Button } from '../../parts/button.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { useShortcuts } from '../../parts/shortcuts.ts';
import { type RunStatus, runStatuses } from '../../parts/status.tsx';
import styles from './runs.module.css';

const route = getRouteApi('/frame/projects/$projectId/runs');

/** How long after the last key the list is read by the name that was typed, in ms. */
const typingMs = 300;

/** Which runs are listed: by name, label, status, testset, version and member. */
export function RunFilters({ names }: { names: Names }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (values: Partial<typeof search>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...values }), replace });
  const labels = search.label ?? [];
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <search className={styles.filters}>
      <NameFilter
        name={search.name ?? ''}
        change={(name) => change({ name: name || undefined }, true)}
      />
      <Choice
        label="Status"
        value={search.status ?? ''}
        onChange={({ target }) => change({ status: (target.value as RunStatus) || undefined })}
      >
        <option value="">Any</option>
        {Object.entries(runStatuses).map(([status, { text }]) => (
          <option key={status} value={status}>
            {text}
          </option>
        ))}
      </Choice>
      <Choice
        label="Testset"
        value={search.testsetId ?? ''}
        onChange={({ target }) => change({ testsetId: target.value || undefined })}
      >
        <option value="">Any</option>
        {names.testsets.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      <Choice
        label="System version"
        value={search.systemVersionId ?? ''}
        onChange={({ target }) => change({ systemVersionId: target.value || undefined })}
      >
        <option value="">Any</option>
        {names.systems.map((system) => (
          <optgroup key={system.id} label={system.name}>
            {system.versions.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </Choice>
      <Choice
        label="Made by"
        value={search.createdBy ?? ''}
        onChange={({ target }) => change({ createdBy: target.value || undefined })}
      >
        <option value="">Anybody</option>
        <option value="me">Me</option>
        {search.createdBy && search.createdBy !== 'me' && (
          <option value={search.createdBy}>{names.member(search.createdBy)}</option>
        )}
      </Choice>
      <LabelFilter add={(label) => change({ label: [...new Set([...labels, label])] })} />
      <p className={styles.pills}>
        {labels.map((label) => (
          <Button
            key={label}
            kind="quiet"
            aria-label={`Take away the label ${label}`}
            onClick={() => {
              const others = labels.filter((one) => one !== label);
              change({ label: others.length > 0 ? others : undefined });
            }}
          >
            {label} ✕
          </Button>
        ))}
        {isFiltered && (
          <Button kind="quiet" onClick={() => void navigate({ search: {} })}>
            Take all filters away
          </Button>
        )}
      </p>
    </search>
  );
}

function NameFilter({ name, change }: { name: string; change: (name: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(name);
  useShortcuts({ filter: () => field.current?.focus() });
  // biome-ignore lint/correctness/useExhaustiveDependencies: Only what is typed changes the list.
  useEffect(() => {
    if (typed === name) return;
    const timer = setTimeout(() => change(typed), typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  // Back, or a filter taken away elsewhere.
  useEffect(() => setTyped(name), [name]);
  return (
    <Field
      ref={field}
      label="Name"
      type="search"
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}

function LabelFilter({ add }: { add: (label: string) => void }) {
  const [problem, setProblem] = useState<string>();
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter') return;
    const field = event.currentTarget;
    const label = field.value.trim();
    const isLabel = /^[^:]+:.+$/.test(label);
    setProblem(isLabel || label === '' ? undefined : 'Write it as key:value, then Enter.');
    if (!isLabel) return;
    add(label);
    field.value = '';
  };
  return (
    <Field label="Label" placeholder="commit:4f7c2aa" problem={problem} onKeyDown={onKeyDown} />
  );
}
