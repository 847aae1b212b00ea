import { expect, it } from 'vitest';
import { product } from '../../../functions/shell/product.ts';
import manifest from '../../../package.json' with { type: 'json' };

it('the product that messages name is this package in this version', () => {
  expect(product).toBe(`${manifest.name} ${manifest.version}`);
});
