import test from 'ava';

import { describeQuiz } from '#src/console/src/pages/people/describe-quiz.ts';

test('the answers of a quiz are shown whatever their form is', (t) => {
  const answers = {
    taste: ['dark', 'fruity'],
    cups: 2,
    filter: true,
    other: null,
    size: { width: 1 },
    list: [{ a: 1 }],
  };
  t.is(
    describeQuiz(answers),
    ['taste: dark, fruity', 'cups: 2', 'filter: true', 'other: ', 'size: {"width":1}', 'list: {"a":1}'].join('\n'),
  );
});
