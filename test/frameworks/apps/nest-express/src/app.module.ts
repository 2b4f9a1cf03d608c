import { Controller, Get, Module } from '@nestjs/common'

@Controller()
class AppController {
  @Get()
  getHello() {
    return 'The garden'
  }
}

@Module({ controllers: [AppController] })
export class AppModule {}
