import type { ExecutionContext, Implementation, TestFn } from 'ava';

type Step = (t: ExecutionContext) => unknown;

/** How long a test may take from one assertion to the next: a busy machine takes several times as long as others. */
const testTimeoutMs = 600_000;

/** What a thread declares its tests to. */
type Ava = Pick<TestFn, 'after' | 'skip'> & ((title: string, implementation: Implementation<[]>) => void);

/**
 * Several test files in one thread of AVA, which knows one list of tests and hooks a thread. Here each file has its own,
 * and begins when the one before it has ended, as if it were alone.
 */
export class SharedThread {
  readonly #files: TestFile[] = [];
  readonly #running = new Set<string>();

  /** The titles of the tests that have begun and not ended. */
  get running(): readonly string[] {
    return [...this.#running];
  }

  /** @returns what the test file of this path imports as `ava` */
  testOf(path: string): TestFn {
    const file = new TestFile(path, this.#running);
    this.#files.push(file);
    return file.test;
  }

  /** Once every file is loaded: AVA wants all tests together. */
  declareTo(ava: Ava): void {
    for (const file of this.#files) file.declareTo(ava);
    const end = this.#run();
    ava.after.always('the files of a thread end', async () => {
      const errors = await end;
      if (errors.length > 0) throw new AggregateError(errors, 'Test files did not end well.');
    });
  }

  /** A file whose end fails does not keep the next ones from running. */
  async #run(): Promise<unknown[]> {
    const errors: unknown[] = [];
    for (const file of this.#files) await file.run().catch((error) => errors.push(error));
    return errors;
  }
}

/** What a file declared, by the functions of AVA that our tests call. */
class TestFile {
  readonly #path: string;
  readonly #running: Set<string>;
  readonly #serial: WaitingTest[] = [];
  readonly #concurrent: WaitingTest[] = [];
  readonly #skipped: string[] = [];
  readonly #before: Step[] = [];
  readonly #beforeEach: Step[] = [];
  readonly #afterEach: Step[] = [];
  readonly #after: Step[] = [];
  #prepared: Promise<unknown> | undefined;
  #last: ExecutionContext | undefined;

  constructor(path: string, running: Set<string>) {
    this.#path = path;
    this.#running = running;
  }

  get test(): TestFn {
    const addTo = (tests: WaitingTest[]) => (title: string, implementation: Implementation<[]>) => {
      tests.push(new WaitingTest(this.#titled(title), (t) => this.#runTest(implementation as Step, t), this.#running));
    };
    const addHook = {
      before: (step: Step) => this.#before.push(step),
      beforeEach: (step: Step) => this.#beforeEach.push(step),
      afterEach: { always: (step: Step) => this.#afterEach.push(step) },
      after: { always: (step: Step) => this.#after.push(step) },
    };
    const serial = Object.assign(addTo(this.#serial), addHook);
    const skip = (title: string) => this.#skipped.push(this.#titled(title));
    return Object.assign(addTo(this.#concurrent), addHook, { serial, skip }) as unknown as TestFn;
  }

  declareTo(ava: Ava): void {
    for (const test of [...this.#serial, ...this.#concurrent]) test.declareTo(ava);
    for (const title of this.#skipped) ava.skip(title, () => undefined);
  }

  async run(): Promise<void> {
    for (const test of this.#serial) await test.run();
    await Promise.all(this.#concurrent.map((test) => test.run()));
    if (this.#last) await runEach(this.#after, this.#last);
  }

  async #runTest(implementation: Step, t: ExecutionContext): Promise<void> {
    this.#last = t;
    t.timeout(testTimeoutMs);
    // What the test itself tears down, it registers later, so that it is torn down before.
    t.teardown(() => runEach(this.#afterEach, t));
    this.#prepared ??= runEach(this.#before, t).then(() => t.context);
    t.context = Object.assign({}, await this.#prepared);
    await runEach(this.#beforeEach, t);
    await implementation(t);
  }

  #titled(title: string): string {
    return `${this.#path} › ${title}`;
  }
}

/** A test that AVA begins with all others, and that waits for its turn. */
class WaitingTest {
  readonly #title: string;
  readonly #implementation: Step;
  readonly #running: Set<string>;
  readonly #turn = Promise.withResolvers<void>();
  readonly #end = Promise.withResolvers<void>();

  /** @param running the titles of the tests that have begun and not ended, to which it adds its own */
  constructor(title: string, implementation: Step, running: Set<string>) {
    this.#title = title;
    this.#implementation = implementation;
    this.#running = running;
  }

  declareTo(ava: Ava): void {
    ava(this.#title, async (t) => {
      await this.#turn.promise;
      this.#running.add(this.#title);
      t.teardown(() => {
        this.#running.delete(this.#title);
        this.#end.resolve();
      });
      await this.#implementation(t);
    });
  }

  /** Resolves when it has passed or failed. */
  run(): Promise<void> {
    this.#turn.resolve();
    return this.#end.promise;
  }
}

async function runEach(steps: readonly Step[], t: ExecutionContext): Promise<void> {
  for (const step of steps) await step(t);
}

/** That of the files that this thread loads. */
export const thread = new SharedThread();
