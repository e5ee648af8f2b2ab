import { exitWithUsageError } from '#src/cli/lib/script-options.ts';
import { nearest } from '#src/lib/edit-distance.ts';
import { type BenchmarkName, benchmarks, readBenchmark } from './lib/benchmarks.ts';

/* `npm run bench -- orders 300 1`: runs one benchmark by its name, with its own options. */

const names = Object.keys(benchmarks);
const [name = ''] = process.argv.splice(2, 1);
if (['--help', '-h'].includes(name)) {
  console.log(
    [
      'Usage: npm run bench -- <name> [options]',
      '',
      'Runs one benchmark with services of its own, beside the floor that the machine sets, ' +
        'and prints what it measured.',
      '',
      'Names:',
      ...names.map((each) => `  ${each}`),
      '',
      'npm run bench -- <name> --help explains one of them.',
      '',
      'Example:',
      '  npm run bench -- orders 300 1',
    ].join('\n'),
  );
  process.exit(0);
}
if (!isBenchmark(name)) {
  const meant = nearest(name, names);
  exitWithUsageError(
    [
      name ? `There is no benchmark "${name}".` : 'Which benchmark?',
      meant ? `Did you mean ${meant}?` : `There are ${names.join(', ')}.`,
    ].join(' '),
  );
}
// Its help, or what is wrong with its options, before all that it measures is loaded.
readBenchmark(name);
await import(`./${name}.ts`);

function isBenchmark(word: string): word is BenchmarkName {
  return Object.hasOwn(benchmarks, word);
}
