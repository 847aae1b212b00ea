import { expect, test } from 'vitest';
import { resourcePath } from '../../../local/snapshot/resource-path.ts';

test('[N-12] a path of the API is a collection, a namespace and a name', () => {
  expect(resourcePath('/apis/policy/v1/namespaces/shop/poddisruptionbudgets/web')).toEqual({
    collection: '/apis/policy/v1/poddisruptionbudgets',
    namespace: 'shop',
    name: 'web',
  });
  expect(resourcePath('/version')).toBeUndefined();
});

test('a snapshot of somebody else may have paths that nobody encoded', () => {
  expect(resourcePath('/api/v1/nodes/%zz')).toEqual({ collection: '/api/v1/nodes', namespace: undefined, name: '%zz' });
});
