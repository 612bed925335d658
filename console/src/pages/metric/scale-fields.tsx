import { isNumeric } from '@assay/contracts/scale';
import { Choice, Field } from '../../parts/field.tsx';
import { type DraftProps, withScale } from './draft.ts';

/** Which side of a metric is the good one, and of numbers the two ends of the scale. */
export function ScaleFields({
  draft,
  change,
  problemAt,
}: Pick<DraftProps, 'draft' | 'change' | 'problemAt'>) {
  const { outputType, lowerIsBetter } = draft;
  return (
    <>
      {isNumeric(outputType) &&
        (['min', 'max'] as const).map((end) => (
          <Field
            key={end}
            label={end === 'min' ? 'Least value' : 'Greatest value'}
            inputMode="decimal"
            value={draft[end]}
            onChange={({ target }) => change(withScale(draft, { [end]: target.value }))}
            hint={outputType === 'float' ? 'Leave it empty where there is no such end.' : undefined}
            problem={problemAt(`/${end}`)}
          />
        ))}
      <Choice
        label="Better is"
        value={lowerIsBetter ? 'less' : 'more'}
        onChange={({ target }) =>
          change(withScale(draft, { lowerIsBetter: target.value === 'less' }))
        }
        hint={lowerIsBetter && !isNumeric(outputType) ? 'True is the bad value.' : undefined}
        problem={problemAt('/lowerIsBetter')}
      >
        <option value="more">more</option>
        <option value="less">less</option>
      </Choice>
    </>
  );
}
