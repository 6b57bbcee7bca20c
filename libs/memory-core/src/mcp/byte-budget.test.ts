import { describe, expect, it } from '@jest/globals';
import { ByteBudget } from './byte-budget.ts';

async function settled(promise: Promise<void> | undefined): Promise<boolean> {
  if (promise === undefined) return true;
  return Promise.race([promise.then(() => true), new Promise<boolean>((r) => setTimeout(() => r(false), 5))]);
}

describe('ByteBudget', () => {
  it('lets everybody read below the limit and one at a time above it, in order', async () => {
    const budget = new ByteBudget(100);
    const [a, b, c] = [budget.open(), budget.open(), budget.open()];
    a.hold(60);
    b.hold(30);
    expect(c.mayRead()).toBeUndefined();
    c.hold(20);
    expect(b.mayRead()).toBeUndefined();
    const [waitA, waitC] = [a.mayRead(), c.mayRead()];
    b.hold(500);
    expect(b.mayRead()).toBeUndefined();
    expect(await settled(waitA)).toBe(false);
    b.hold(40);
    b.release();
    // 80 held: below the limit, all go on.
    expect(await settled(waitA)).toBe(true);
    expect(await settled(waitC)).toBe(true);
  });

  it('hands the overdraft on while the rest stays above the limit, so that nobody waits for ever', async () => {
    const budget = new ByteBudget(10);
    const holders = Array.from({ length: 4 }, () => budget.open());
    for (const holder of holders) holder.hold(50);
    const waits = holders.map((holder) => holder.mayRead());
    expect(waits[0]).toBeUndefined();
    for (const [index, holder] of holders.entries()) {
      expect(await settled(waits[index])).toBe(true);
      if (index < 3) expect(await settled(waits[index + 1])).toBe(false);
      holder.release();
    }
  });
});
