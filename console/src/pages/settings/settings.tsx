import { getRouteApi } from '@tanstack/react-router';
import { useMe } from '../../api/session.ts';
import { NotFound } from '../../parts/frame/not-found.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { Judges } from './judges.tsx';
import { Keys } from './keys.tsx';
import { Members } from './members.tsx';
import { Organization } from './organization.tsx';
import { SettingsNavigation } from './settings-navigation.tsx';
import { Usage } from './usage.tsx';

const route = getRouteApi('/frame/settings/$section');

const sections = {
  organization: { title: 'Organization', Section: Organization },
  members: { title: 'Members', Section: Members },
  keys: { title: 'API keys', Section: Keys },
  usage: { title: 'Usage', Section: Usage },
  judges: { title: 'Judges', Section: Judges },
};

/** What belongs to the organization and not to a project. */
export function Settings() {
  const { section } = route.useParams();
  // What is said to those who are no admins is there from the start, or never.
  const me = useMe();
  const found = sections[section as keyof typeof sections];
  if (!found) return <NotFound />;
  const { title, Section } = found;
  return (
    <Page title={title} kind="Settings" above="Settings" key={section}>
      <SettingsNavigation
        sections={Object.entries(sections).map(([name, { title }]) => ({ name, title }))}
      />
      {!me.isPending && <Section />}
    </Page>
  );
}
