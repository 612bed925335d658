import { expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';

describeInBrowser('a visitor whose page lacks a file', (stage) => {
  test('is told which one at once, and leaves nothing to the next visitor', async () => {
    {
      await using visitor = await stage.visit();
      await visitor.page.route('**/assets/*.js', (route) => route.fulfill({ status: 404 }));
      await expect(visitor.open('/projects')).rejects.toThrow(
        /\/assets\/.*\.js was a 404: was the console built while its tests ran\?/,
      );
    }
    await using next = await stage.visit();
    await next.open('/projects');
    expect(next.complaints).toEqual([]);
  });
});
