console.error('stub')
