import { describe, expect, it } from 'vitest';
import { readVersionUpdate } from '../../../../functions/core/openshift/version-update.ts';

const release = { version: '4.21.3', image: 'quay.io/release@sha256:aaaa' };
const done = { ...release, state: 'Completed', startedTime: '2026-11-01T10:00:00Z' };
const hotfix = { ...release, image: 'quay.io/release@sha256:bbbb' };

function read(desired: object, history: readonly object[], spec: object = {}) {
  return readVersionUpdate({ spec, status: { desired, history } }, undefined);
}

describe('whether the cluster is being updated', () => {
  it('[S4-9] it is until the history says Completed, also for a release that is named by its image alone', () => {
    const unresolved = { version: '', image: hotfix.image };

    expect(read(release, [done]).kind).toBe('none');
    expect(read(hotfix, [{ ...hotfix, state: 'Partial' }, done]).kind).toBe('under way');
    expect(read(unresolved, [{ ...unresolved, state: 'Partial' }, done]).kind).toBe('under way');
    expect(read(hotfix, [{ ...hotfix, state: 'Completed' }, done]).kind).toBe('none');
  });

  it('[S4-9] it is when another image of the same version is wanted, before the history has it', () => {
    const desiredUpdate = { image: hotfix.image };

    expect(read(hotfix, [done], { desiredUpdate }).kind).toBe('under way');
  });

  it('[S4-9] it is not when only the channel is another, or a history is told without images', () => {
    const { image: _, ...untold } = done;

    expect(read(release, [done], { channel: 'stable-4.22' }).kind).toBe('none');
    expect(read(release, [untold]).kind).toBe('none');
    expect(read({ version: release.version }, [done]).kind).toBe('none');
  });
});
