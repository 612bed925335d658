import { useState } from 'react';
import { Choice } from '../../parts/field.tsx';
import { roleInWords, roleSentence, roles } from '../../text/roles.ts';

/** The choice of a role, which says what it may do. */
export function RoleChoice({ chosen }: { chosen: string }) {
  const [role, setRole] = useState(chosen);
  return (
    <Choice
      label="Role"
      name="role"
      value={role}
      onChange={({ target }) => setRole(target.value)}
      hint={roleSentence(role)}
    >
      {roles.map((each) => (
        <option key={each} value={each}>
          {roleInWords(each)}
        </option>
      ))}
    </Choice>
  );
}
