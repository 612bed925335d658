import { newId } from '@assay/runtime/ids';
import {
  inProject,
  type Opening,
  ofChangedTestset,
  ofRun,
  ofTestset,
  ofTrace,
  selectFirstRow,
} from './opening.ts';

/** Every dialog of the console, those of a page one after the other: a test may leave it open. */
export const dialogs: Opening[] = [
  { file: 'parts/frame/palette.tsx', title: 'Go to', path: () => '/projects', key: 'Control+k' },
  {
    file: 'pages/projects/projects.tsx',
    title: 'New project',
    path: () => '/projects',
    buttons: ['New project'],
  },
  {
    file: 'pages/settings/invite.tsx',
    title: 'Invite a person',
    path: () => '/settings/members',
    buttons: ['Invite'],
  },
  {
    file: 'pages/settings/change-member.tsx',
    title: /@/,
    path: () => '/settings/members',
    buttons: ['Change'],
  },
  {
    file: 'pages/settings/change-member.tsx',
    title: /^A sign-in link for/,
    path: () => '/settings/members',
    buttons: ['Make a sign-in link'],
  },
  {
    file: 'pages/settings/open-invitations.tsx',
    title: /^Another link for/,
    path: () => '/settings/members',
    buttons: ['Make another link'],
  },
  {
    file: 'pages/settings/open-invitations.tsx',
    title: /^Withdraw the invitation/,
    path: () => '/settings/members',
    buttons: ['Withdraw'],
  },
  {
    file: 'pages/settings/once-link.tsx',
    title: /^Give this link to/,
    path: () => '/settings/members',
    buttons: ['Invite'],
    after: async (page) => {
      await page.getByLabel('E-mail address').fill(`${newId()}@example.com`);
      await page.keyboard.press('Enter');
    },
  },
  {
    file: 'pages/settings/imported-people.tsx',
    title: 'Who is Imported?',
    path: () => '/settings/members',
    before: (page) => page.getByRole('button', { name: 'Imported people' }).click(),
    buttons: ['Map to a member'],
  },
  {
    file: 'pages/settings/new-key.tsx',
    title: 'New API key',
    path: () => '/settings/keys',
    buttons: ['New key'],
  },
  {
    file: 'pages/settings/keys.tsx',
    title: /^Revoke/,
    path: () => '/settings/keys',
    buttons: ['Revoke'],
  },
  {
    file: 'pages/settings/new-key.tsx',
    title: 'Store the key now',
    path: () => '/settings/keys',
    buttons: ['New key'],
    after: async (page) => {
      await page.keyboard.type('shown once');
      await page.keyboard.press('Enter');
    },
    close: (dialog) => dialog.getByRole('button', { name: 'I have stored it' }).click(),
  },
  {
    file: 'parts/frame/shortcut-help.tsx',
    title: 'Shortcuts of this page',
    path: inProject('/runs'),
    buttons: [/^Account/, 'Shortcuts ?'],
  },
  {
    file: 'parts/views/save-view-dialog.tsx',
    title: 'Save this view',
    path: inProject('/runs'),
    buttons: ['Views', 'Save this view …'],
  },
  {
    file: 'parts/retention.tsx',
    title: /./,
    path: inProject('/runs'),
    buttons: ['Retention'],
  },
  {
    file: 'parts/delete-selected.tsx',
    title: /^Delete/,
    path: inProject('/runs'),
    before: selectFirstRow,
    buttons: [/^Actions/, 'Delete'],
  },
  {
    file: 'pages/run/add-metrics.tsx',
    title: 'Add metrics',
    path: ofRun,
    buttons: ['More', 'Add metrics …'],
  },
  {
    file: 'pages/run/rescore-dialog.tsx',
    title: 'Rescore the run',
    path: ofRun,
    buttons: ['More', 'Rescore …'],
  },
  {
    file: 'pages/run/plan-dialog.tsx',
    title: 'Plan a comparison',
    path: ofRun,
    buttons: ['More', 'Plan a comparison …'],
  },
  {
    file: 'pages/run/name-dialog.tsx',
    title: 'Name and labels',
    path: ofRun,
    buttons: ['More', 'Name and labels …'],
  },
  {
    file: 'pages/run/budget-dialog.tsx',
    title: 'Budget of the run',
    path: ofRun,
    buttons: ['More', 'Budget …'],
  },
  {
    file: 'pages/review/set-up.tsx',
    title: 'Set up a review',
    path: ofRun,
    buttons: ['Review'],
  },
  {
    file: 'pages/run/selected-records.tsx',
    title: /^Tag/,
    path: ofRun,
    before: selectFirstRow,
    buttons: [/^Actions/, 'Tag'],
  },
  {
    file: 'pages/run/selected-records.tsx',
    title: /^Assign/,
    path: ofRun,
    before: selectFirstRow,
    buttons: [/^Actions/, 'Assign'],
  },
  {
    file: 'parts/thing-menu.tsx',
    title: 'Rename the testset',
    path: ofTestset,
    buttons: ['More', 'Rename …'],
  },
  {
    file: 'parts/thing-menu.tsx',
    title: /^Delete “/,
    path: ofTestset,
    buttons: ['More', 'Delete the testset …'],
  },
  {
    file: 'pages/testset/new-testcase.tsx',
    title: 'New testcase',
    path: ofTestset,
    buttons: ['New testcase'],
  },
  {
    file: 'pages/testset/paste-rows.tsx',
    title: 'Paste rows',
    path: ofTestset,
    buttons: ['Paste rows'],
  },
  {
    file: 'pages/testset/delete-testcases.tsx',
    title: /^Delete/,
    path: ofTestset,
    before: selectFirstRow,
    buttons: [/^Actions/, 'Delete'],
  },
  {
    file: 'pages/trace/add-to-testset.tsx',
    title: 'Add to a testset',
    path: ofTrace,
    buttons: ['Add to a testset'],
  },
  {
    file: 'pages/trace/score-trace.tsx',
    title: 'Score the trace',
    path: ofTrace,
    buttons: ['Score'],
  },
  {
    file: 'pages/trace/added-testcase.tsx',
    title: 'Added to a testset',
    path: ofTrace,
    buttons: ['Add to a testset'],
    after: async (page) => {
      const adding = page.getByRole('dialog', { name: 'Add to a testset' });
      await adding.getByRole('button', { name: /^Add( it all the same)?$/ }).click();
    },
  },
  {
    file: 'pages/monitors/new-monitor.tsx',
    title: 'New monitor',
    path: inProject('/monitors'),
    buttons: ['New monitor'],
  },
  {
    file: 'pages/monitors/edit-monitor.tsx',
    title: /./,
    path: inProject('/monitors'),
    buttons: ['Answers of meridian'],
  },
  {
    file: 'pages/systems/systems.tsx',
    title: /./,
    path: inProject('/systems'),
    buttons: [/^New system/],
  },
  {
    file: 'pages/testsets/testsets.tsx',
    title: 'New testset',
    path: inProject('/testsets'),
    buttons: ['New testset'],
  },
  {
    file: 'pages/compare/compare-tools.tsx',
    title: 'Gate a pipeline',
    path: ({ projectId, baselineRunId, candidateRunId }) =>
      `/projects/${projectId}/compare?baseline=${baselineRunId}&candidate=${candidateRunId}`,
    buttons: ['Gate command'],
  },
  {
    file: 'pages/record/annotate.tsx',
    title: 'Annotate a passage',
    path: ({ projectId, recordId }) => `/projects/${projectId}/records/${recordId}`,
    before: async (page) => {
      await page.getByText('Outputs').first().waitFor();
      await page.getByRole('button', { name: 'Find in Expected' }).waitFor();
    },
    key: 'a',
  },
  {
    file: 'parts/frame/sign-in-again.tsx',
    title: 'Sign in again',
    path: () => '/projects',
    after: async (page) => {
      await page.getByRole('button', { name: 'New project' }).first().click();
      await page.getByLabel('Name', { exact: true }).fill('Made by two sessions');
      await page.context().clearCookies();
      await page.keyboard.press('Enter');
    },
    holdsRequest: true,
    endsVisit: true,
    close: async (dialog, key) => {
      await dialog.getByLabel('API key').fill(key);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
    },
  },
  {
    file: 'pages/reviewing/reviewing.tsx',
    title: 'Tags of this record',
    path: ({ pages }) => pages.find(([name]) => name === 'review of a record')![1],
    before: (page) => page.getByRole('region', { name: 'Outputs', exact: true }).waitFor(),
    key: 't',
  },
  {
    file: 'pages/compare/ask-people.tsx',
    title: /^Ask people about/,
    path: ({ judgedPath }) => judgedPath,
    buttons: [/^Ask people/],
  },
  {
    file: 'pages/import/leaving.tsx',
    title: 'Leave the import?',
    path: inProject('/import'),
    before: async (page) => {
      // Is never answered.
      await page.route('**/testcases/import*', () => undefined);
      const buffer = Buffer.from('question,answer\n1?,1\n2?,2\n');
      const file = { name: 'questions.csv', mimeType: 'text/csv', buffer };
      await page.getByLabel('Files', { exact: true }).setInputFiles(file);
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByRole('button', { name: 'Stop' }).waitFor();
    },
    after: (page) => page.getByRole('link', { name: 'Assay', exact: true }).click(),
    endsVisit: true,
  },
  {
    file: 'pages/testset/data-dialog.tsx',
    title: 'Data of the testcase',
    path: ofChangedTestset(''),
    buttons: [/Edit as JSON$/],
  },
  {
    file: 'pages/testset/tags.tsx',
    title: 'Tag 1 testcase',
    path: ofChangedTestset(''),
    before: selectFirstRow,
    buttons: [/^Actions/, 'Tag'],
  },
  {
    file: 'pages/testset/schema-check.tsx',
    title: 'Save the schema',
    path: ofChangedTestset('?tab=schema'),
    before: async (page) => {
      await page.getByLabel('Type of question').selectOption('boolean');
    },
    buttons: ['Save'],
  },
  {
    file: 'pages/testset/history/changed-testcase.tsx',
    title: 'Added testcase',
    path: ofChangedTestset('?tab=history'),
    after: (page) => page.getByRole('row', { name: /parcel/ }).click(),
  },
];
