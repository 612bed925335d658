import { expect, test } from 'vitest';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { sendTrace, spanIdOf } from './spans.ts';

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describeInBrowser('the conversation of a trace', (stage) => {
  test('is read on its root, with results below their calls, pictures, and what a model thought', async () => {
    const project = { name: 'Support', description: '' };
    const projectId = (await stage.assay.call('POST', '/projects', project)).body.id;
    const call = { id: 'call_1', function: { name: 'track', arguments: '{"parcel":7}' } };
    const asked = [
      { role: 'system', content: `Be kind. ${'Say it plainly. '.repeat(40)}` },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Where is this parcel?' },
          { type: 'image_url', image_url: { url: png } },
          { type: 'image_url', image_url: { url: 'https://example.com/parcel.png' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'late by a day' },
    ];
    const answered = {
      role: 'assistant',
      reasoning_content: 'A day is not long.',
      content: 'It arrives **tomorrow**.',
    };
    const traceId = await sendTrace(stage.assay.call, projectId, [
      { id: 'root', name: 'answer', to: 900 },
      {
        id: 'tool',
        parent: 'root',
        name: 'track',
        from: 10,
        attributes: { 'gen_ai.operation.name': 'execute_tool' },
      },
      {
        id: 'chat',
        parent: 'root',
        name: 'chat',
        from: 200,
        to: 800,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.prompt.messages': JSON.stringify(asked),
          'gen_ai.completion.choices': JSON.stringify([answered]),
        },
      },
    ]);
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${projectId}/traces/${traceId}?span=${spanIdOf('root')}`);
    const pane = page.getByRole('region', { name: 'Span', exact: true });
    await pane.getByText('Where is this parcel?').waitFor();
    await pane.getByRole('img', { name: /PNG/ }).waitFor();
    const link = pane.getByRole('link', { name: 'https://example.com/parcel.png' });
    expect(await link.getAttribute('rel')).toContain('noopener');
    await pane.getByText('calls track').waitFor();
    await pane.getByText('late by a day').waitFor();
    const thought = pane.getByText('A day is not long.');
    expect(await thought.isVisible()).toBe(false);
    await pane.getByText('thought first').click();
    await thought.waitFor();
    await pane.getByText('It arrives tomorrow.').waitFor();
    expect(await problemsOf(page)).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });
});
