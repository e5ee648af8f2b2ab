/* Preloaded into the processes of a local stack: a process stops gracefully when its parent has ended in any way. */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
