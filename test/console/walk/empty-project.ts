import type { Call } from '../../system/installation.ts';
import type { Content } from '../pages.ts';

/** The pages that links reach on a project in which nothing is. */
export async function emptyPages(call: Call): Promise<Content['pages']> {
  const project = (await call('POST', '/projects', { name: 'Nothing yet', description: '' })).body;
  const inProject = `/projects/${project.id}`;
  return [
    ['projects', '/projects'],
    ['import', '/import'],
    ['overview', inProject],
    ['import into a project', `${inProject}/import`],
    ['runs', `${inProject}/runs`],
    ['a new run', `${inProject}/runs/new`],
    ['a new run from code', `${inProject}/runs/new?way=code`],
    ['comparison of nothing', `${inProject}/compare`],
    ['traces', `${inProject}/traces`],
    ['monitors', `${inProject}/monitors`],
    ['testsets', `${inProject}/testsets`],
    ['metrics', `${inProject}/metrics`],
    ['new metric', `${inProject}/metrics/new`],
    ['ready-made judges', `${inProject}/metrics/new?library=open`],
    ['review', `${inProject}/review`],
    ['systems', `${inProject}/systems`],
    ['organization', '/settings/organization'],
    ['members', '/settings/members'],
    ['API keys', '/settings/keys'],
    ['judges', '/settings/judges'],
    ['a page that is not there', `${inProject}/nothing`],
    ['a run that is not there', `${inProject}/runs/nothing`],
  ];
}
