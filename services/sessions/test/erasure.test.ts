import { erasureOf } from '@assay/contracts/erasure';
import { serviceIdentity } from '@assay/runtime/signature';
import { expect, test } from 'vitest';
import { createClient, sha256Of, startSetting } from './setting.ts';

test.each(['disk', 's3'] as const)(
  'an erased organization has no files left on %s, and those of others stay',
  async (kind) => {
    const setting = await startSetting(kind);
    const { attach, declare, put } = createClient(setting);
    const { organizationId } = setting.world.identity;
    await attach('hello');
    const { uploadUrl } = (await declare('world', { filePath: 'b' })).body;
    await put(uploadUrl, 'world');
    const other = { identity: { organizationId: crypto.randomUUID() } };
    const { id, uploadUrl: ofOther } = (await declare('other', {}, other)).body;
    await put(ofOther, 'other');
    await setting.world.request('POST', `/attachments/${id}/commit`, undefined, other);

    const { sessions } = setting.world.bus.asks(erasureOf('sessions'));
    const identity = serviceIdentity(organizationId);
    const count = async () => {
      const { places } = await sessions.countOrganization(identity, {});
      return places.filter(({ count }) => count > 0).map(({ place }) => place);
    };
    expect(await count()).toContain('files of attachments');
    expect(await sessions.eraseOrganization(identity, {})).toEqual({ isDone: true });
    expect(await count()).toEqual([]);
    expect(new Set(await setting.contents())).toEqual(new Set([sha256Of('other')]));
    await setting.stop();
  },
);
