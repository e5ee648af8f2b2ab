/* `node --import` this: a process that gathers listeners without end ends, instead of only warning. */
process.on('warning', (warning) => {
  if (warning.name === 'MaxListenersExceededWarning') throw warning;
});
