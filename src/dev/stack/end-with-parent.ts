/* Preloaded into the processes of a local stack: one whose starter is gone, however it ended, stops like any other. */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
