import type { ItemOf } from '@assay/client/operations';
import { type ReactNode, useEffect, useState } from 'react';
import { useList } from '../../api/list.ts';
import { useMembers } from '../../api/members.ts';
import { refresh, useChange, useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Choice, problemAt } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Grid } from '../../parts/grid/grid.tsx';
import { Time } from '../../parts/time.tsx';
import { memberNames, shortId } from '../../text/names.ts';

type Person = ItemOf<'/members'>;

/** How often the list is read again while a person is being mapped. */
const readAgainMs = 2000;

const nameOf = ({ name, email, userId }: Person): string => name || email || shortId(userId);

/** Whether imports have made people who are no members. */
export function useHasImported(): boolean {
  const some = useReading('/members', { query: { imported: 'true', limit: 1 } });
  return (some.data?.data.length ?? 0) > 0;
}

/** The authors of imported files who are not believed, each to be mapped to a member. */
export function ImportedPeople({ isAdmin, tools }: { isAdmin: boolean; tools: ReactNode }) {
  const list = useList('/members', { query: { imported: 'true' } });
  const members = useMembers().data?.data ?? [];
  const [mapped, setMapped] = useState<Person>();
  const isUnderWay = list.loaded.some(({ mappedTo }) => mappedTo);
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(() => void refresh(['/members']), readAgainMs);
    return () => clearInterval(timer);
  }, [isUnderWay]);
  return (
    <>
      <p>
        Imported files name these people as authors. They are no members: names and addresses are as
        the file says.
      </p>
      <Grid
        name="imported-people"
        label="Imported people"
        noun="imported author"
        list={list}
        idOf={({ userId }) => userId}
        nameOf={nameOf}
        tools={tools}
        columns={[
          { id: 'person', name: 'Person', width: 220, cell: (person) => nameOf(person) },
          { id: 'email', name: 'E-mail', width: 220, cell: ({ email }) => <span>{email}</span> },
          { id: 'createdAt', name: 'Imported', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            id: 'map',
            name: 'Map',
            width: 220,
            cell: (person) =>
              person.mappedTo ? (
                `becomes ${memberNames(members)(person.mappedTo)} …`
              ) : (
                <Button kind="quiet" disabled={!isAdmin} onClick={() => setMapped(person)}>
                  Map to a member
                </Button>
              ),
          },
        ]}
        empty={null}
      />
      {mapped && (
        <MapPerson person={mapped} members={members} onClose={() => setMapped(undefined)} />
      )}
    </>
  );
}

function MapPerson({
  person,
  members,
  onClose,
}: {
  person: Person;
  members: Person[];
  onClose: () => void;
}) {
  const update = useChange('PATCH', '/members/:userId', { refreshes: ['/members'] });
  return (
    <FormDialog
      title={`Who is ${nameOf(person)}?`}
      button="Map"
      isDangerous
      change={update}
      onClose={onClose}
      submit={(form) =>
        update.mutate(
          { params: { userId: person.userId }, body: { mapTo: `${form.get('mapTo')}` } },
          { onSuccess: onClose },
        )
      }
    >
      <Choice
        label="Member"
        name="mapTo"
        required
        defaultValue=""
        problem={problemAt(update.error, '/mapTo')}
      >
        <option value="" disabled>
          Choose a member
        </option>
        {members.map((member) => (
          <option key={member.userId} value={member.userId}>
            {member.name ? `${member.name} · ${member.email}` : member.email}
          </option>
        ))}
      </Choice>
      <p>
        All that this person made becomes the member's. Where both scored the same, the member's
        score stays. Nobody can undo this.
      </p>
    </FormDialog>
  );
}
