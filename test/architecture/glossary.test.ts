import test from 'ava';

import { type Source, sources, testSources } from './sources.ts';

/*
 * The glossary of src/README.md has one word for each idea. Each list of words on the left is a private
 * or ambiguous synonym that names may not contain, with what to say instead.
 */
const replacements: readonly (readonly [words: string, instead: string])[] = [
  ['promise promised promises promising', 'job; enqueue'],
  ['keep keeps kept keeper', 'retain, store, cache'],
  ['conclude concludes concluded', 'complete'],
  ['judge judges judged judgement verdict', 'validate, verify, check, evaluate, moderate, classify'],
  ['tell tells telling told', 'notify, report, return'],
  ['hear hears heard hearing', 'receive; subscribed'],
  ['ask asks asked asking', 'fetch, request'],
  ['answer answers answered unanswered', 'response, snapshot, result'],
  ['anew', 'again, uncached, recomputed'],
  ['reckon reckons reckoned', 'calculate'],
  ['remember remembers remembered', 'cache, upsert'],
  ['forget forgets forgot forgotten', 'delete, unlink, stale, expired'],
  ['somebody nobody whoever person persons', 'shopper, customer, owner, operator, caller, worker'],
  ['raise raises raised', 'flag'],
  ['trouble troubles troubled', 'provider failure'],
  ['patience impatience patient impatient', 'deadline'],
  ['spell spells stretch stretches', 'time bucket, time range'],
  ['marks ours', 'metadata; own'],
  ['fold folds folded folding', 'aggregate; normalize text'],
  ['aside spared', 'quarantined; paused'],
  ['portion portions', 'batch'],
  ['look looks looked looking', 'lookup, poll, scan, check'],
  ['hint hints', 'provider notification'],
  ['adopt adopts adopted', 'record the purchase'],
  ['news', 'update'],
  ['misses vain', 'zero-result searches'],
  ['letter letters letterhead sheet ink', 'email, branding, theme, contrast'],
  ['shop shops', 'tenant'],
  ['household households', 'client network'],
  ['switchboard meet', 'router; enforce limits'],
  ['admissions', 'auth cache'],
  ['gather', 'batch loader'],
  ['refuse refuses refused refusal refusals refusing', 'reject, error'],
  ['sentence sentences', 'message'],
  ['withdraw withdraws withdrawn withdrawal', 'void, refund'],
  ['furniture bell postoffice', 'defaults, signal, webhook dispatcher'],
  ['mayhem victim victims lab desk spent uncounted stranger strangers', 'fault injector, child process, fixture'],
];

/** Names that contain such a word because somebody else, or the contract, chose it. */
const exceptions: readonly (readonly [name: RegExp, reason: string])[] = [
  [/^Promise([A-Z]\w*)?$/, 'JavaScript'],
  [/^keepAlive\w*$/, 'Node.js and undici: connections that stay open'],
  [/^answers$/, 'the field of POST /leads/quiz, and its column'],
  [/^lookUpOrder$/, 'the operation of GET /orders/lookup'],
  [/^hint(Of)?$/, 'the field of an API key'],
  [/^(\w+_)?refused$/, 'the metric storefront_inbound_refused_total, and states and codes of the contract'],
  [/^(storefront_)?inbound_refused\w*$/, 'the metric storefront_inbound_refused_total'],
  [/^(payment_events_forgotten|gift_card_spent)$/, 'codes of the contract'],
];

/** Words that a title of a test may not contain; the others of the list above are plain English in a sentence. */
const privateWords =
  /\b(promise[ds]?|somebody|nobody|whoever|told|asked|anew|reckon\w*|judge[ds]?|remembered|forgotten|household|strangers?)\b/i;

const insteadOf = new Map(replacements.flatMap(([words, instead]) => words.split(' ').map((word) => [word, instead])));

/** Comments, texts and regular expressions come before names, so that none is looked for in them. */
const token =
  /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|(?<template>`(?:\\.|\$\{(?:[^{}`]|`(?:\\.|[^`\\])*`|\{[^{}]*\})*\}|[^`\\])*`)|(?<=[(,=:[!&|?{;]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/|(?<name>[A-Za-z_$][\w$]*)/g;

test('names of the code follow the glossary', (t) => {
  // What Promise.withResolvers() of JavaScript returns has that name.
  const isNamed = ({ text }: Source) => text.includes('Promise.withResolvers');
  const names = (file: Source) => namesIn(file).filter((name) => name !== 'promise' || !isNamed(file));
  t.deepEqual(findings([...sources, ...testSources], names), []);
});

test('names of files follow the glossary', (t) => {
  t.deepEqual(
    findings([...sources, ...testSources], ({ path }) => path.split(/[/.]/)),
    [],
  );
});

test('names of tables and columns follow the glossary', (t) => {
  const migrations = sources.filter(({ path }) => path.startsWith('migrations/'));
  // Without comments of TypeScript and SQL, and without SQL's texts and its statement `raise`.
  const other = /\/\*[\s\S]*?\*\/|\/\/.*|--.*|'[^'\n]*'|\braise (exception|notice)\b/g;
  const words = ({ text }: Source) => text.replaceAll(other, '').match(/\b[a-z][a-z0-9_]*\b/g) ?? [];
  t.deepEqual(findings(migrations, words), []);
});

test('titles of tests follow the glossary', (t) => {
  const title = /^\s*test(?:\.\w+)*\(\s*(['"`])(?<title>(?:\\.|(?!\1).)*)\1/gm;
  const found = testSources.flatMap(({ path, text }) =>
    [...text.matchAll(title)].flatMap(({ groups }) =>
      privateWords.test(groups?.['title'] ?? '') ? [`${path}: ${groups?.['title']}`] : [],
    ),
  );
  t.deepEqual(found, []);
});

function findings(files: readonly Source[], namesOf: (file: Source) => readonly string[]): string[] {
  return files
    .filter(({ path }) => !path.includes('glossary.test'))
    .flatMap((file) =>
      [...new Set(namesOf(file))].flatMap((name) => {
        const word = partsOf(name).find((part) => insteadOf.has(part));
        if (!word || exceptions.some(([pattern]) => pattern.test(name))) return [];
        return [`${file.path}: ${name}: instead of "${word}" say ${insteadOf.get(word)}`];
      }),
    );
}

/** The names in the code of a file, and in the expressions of its template texts. */
function namesIn({ text }: Pick<Source, 'text'>): string[] {
  return [...text.matchAll(token)].flatMap(({ groups }) => {
    if (groups?.['name']) return [groups['name']];
    const expressions =
      groups?.['template']?.slice(1, -1).match(/\$\{(?:[^{}`]|`(?:\\.|[^`\\])*`|\{[^{}]*\})*\}/g) ?? [];
    return expressions.flatMap((expression) => namesIn({ text: expression.slice(2, -1) }));
  });
}

/** `listZeroResultSearches` and `list-zero_result` as words in lower case. */
function partsOf(name: string): string[] {
  return name.split(/[_-]|(?<=[a-z0-9])(?=[A-Z])/).map((part) => part.toLowerCase());
}
