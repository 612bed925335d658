import { Choice, Field, problemAt } from '../../parts/field.tsx';
import { outputTypes } from '../../text/metrics.ts';

/** A metric that is made here: the question to people, and how they answer. */
export const NewMetric = ({ error = null }: { error: Error | undefined | null }) => (
  <>
    <Field
      label="Name"
      name="name"
      required
      placeholder="Helpful"
      problem={problemAt(error, '/name')}
    />
    <Field
      label="Guidelines"
      name="guidelines"
      rows={3}
      placeholder="Would it help you?"
      hint="What people read beside each record."
      problem={problemAt(error, '/guidelines')}
    />
    <Choice label="Answer" name="outputType">
      <option value="boolean">{outputTypes.boolean}</option>
      <option value="int">{outputTypes.int}</option>
    </Choice>
  </>
);
