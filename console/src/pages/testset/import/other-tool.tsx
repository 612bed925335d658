import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ButtonLink } from '../../../parts/button.tsx';
import { bring } from '../../import/brought-files.ts';
import { perform } from '../../import/task.ts';
import styles from '../testset.module.css';

const route = getRouteApi('/frame/projects/$projectId/testsets/$testsetId');

/** Says that a file has more than rows, and leads to the import that takes all of it. */
export function OtherTool({ file }: { file: File }) {
  const { projectId } = route.useParams();
  const files = [{ name: file.name, file }];
  const tool = useQuery({
    queryKey: ['tool that wrote a file', file.name, file.size, file.lastModified],
    queryFn: async ({ signal }) => (await perform({ kind: 'tell', files }, { signal })) ?? null,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (!tool.data) return null;
  return (
    <div className={styles.file} role="status">
      <p>
        <strong>This is another tool's file: {tool.data.title}.</strong> The import of the project
        takes what else it has, such as runs and scores.
      </p>
      <ButtonLink
        to="/projects/$projectId/import"
        params={{ projectId }}
        onClick={() => bring({ name: file.name, files })}
      >
        Import all of it
      </ButtonLink>
    </div>
  );
}
