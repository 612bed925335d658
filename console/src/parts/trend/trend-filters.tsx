import { Button } from '../button.tsx';
import { Choice, Field } from '../field.tsx';
import { NameChoice } from '../name-choice/name-choice.tsx';
import { daysDefault, type SetTrendSearch, type TrendSearch } from './trend-search.ts';

/** Of which runs the trends are: of a testset, with a label, of some time. */
export function TrendFilters({
  projectId,
  testset,
  search,
  setSearch,
}: {
  projectId: string;
  /** Undefined for runs without one. */
  testset: string | undefined;
  search: TrendSearch;
  setSearch: SetTrendSearch;
}) {
  const { days = daysDefault, label, from } = search;
  return (
    <>
      <NameChoice
        projectId={projectId}
        label="Testset"
        kind="testset"
        value={testset}
        nothing="No testset"
        choose={(id) => setSearch({ testset: id ?? 'none' })}
      />
      <Choice
        label="Time"
        value={from ? 'chosen' : days}
        onChange={({ target }) =>
          setSearch({
            days: target.value as NonNullable<TrendSearch['days']>,
            from: undefined,
            to: undefined,
          })
        }
      >
        <option value="7">Last 7 days</option>
        <option value="30">Last 30 days</option>
        <option value="90">Last 90 days</option>
        <option value="all">All</option>
        {from && <option value="chosen">As chosen</option>}
      </Choice>
      <Field
        label="Label"
        placeholder="branch:main"
        defaultValue={label}
        key={label}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') setSearch({ label: currentTarget.value || undefined });
        }}
        onBlur={({ currentTarget }) => {
          if (currentTarget.value !== (label ?? ''))
            setSearch({ label: currentTarget.value || undefined });
        }}
      />
      {from && (
        <Button onClick={() => setSearch({ from: undefined, to: undefined })}>Show all time</Button>
      )}
    </>
  );
}
